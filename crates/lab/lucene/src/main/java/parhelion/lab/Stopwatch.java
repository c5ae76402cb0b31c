package parhelion.lab;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * Takes the time of one action: warms it up for so many calls and so long, whichever takes longer, then times each call
 * by itself. Knows nothing of what it runs. Times are wall-clock nanoseconds; beside them stands the processor time of
 * the calling thread, the steadier figure where cores are shared.
 */
record Stopwatch(int callsMin, long warmNs, long measureNs) {
  static final Stopwatch DEFAULT = new Stopwatch(200, 3_000_000_000L, 1_000_000_000L);
  private static final int CALLS_MAX = 200_000;
  private static final int TOUCH_CALLS = 50;
  private static final long TOUCH_NS = 300_000_000L;

  /** Where answers go, so that the compiler cannot leave out the work behind them. */
  private static volatile Object sink;

  Stopwatch withWarmSeconds(double seconds) {
    return new Stopwatch(callsMin, (long) (seconds * 1e9), measureNs);
  }

  Stopwatch withMeasureSeconds(double seconds) {
    return new Stopwatch(callsMin, warmNs, (long) (seconds * 1e9));
  }

  /** Runs a few calls, untimed. */
  void touch(Arm.Action action) throws IOException {
    long end = System.nanoTime() + TOUCH_NS;
    for (int call = 0; call < TOUCH_CALLS && System.nanoTime() < end; call++) {
      sink = action.run();
    }
  }

  Times time(Arm.Action action) throws IOException {
    long warmEnd = System.nanoTime() + warmNs;
    for (int call = 0; call < callsMin || System.nanoTime() < warmEnd; call++) {
      sink = action.run();
    }
    long[] ns = new long[CALLS_MAX];
    int calls = 0;
    long cpuStart = cpuNs();
    long before = System.nanoTime();
    long end = before + measureNs;
    while (calls < callsMin || (before < end && calls < CALLS_MAX)) {
      sink = action.run();
      long after = System.nanoTime();
      ns[calls++] = after - before;
      before = after;
    }
    long cpuNsPerCall = (cpuNs() - cpuStart) / calls;
    long[] sorted = Arrays.copyOf(ns, calls);
    Arrays.sort(sorted);
    return new Times(sorted, cpuNsPerCall);
  }

  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** The calls' times in nanoseconds, ascending, never empty; and the mean processor time of a call. */
  record Times(long[] sortedNs, long cpuNsPerCall) {
    int calls() {
      return sortedNs.length;
    }

    /** The smallest time that at least this share of the calls did not exceed, in microseconds. */
    double quantileUs(double share) {
      int rank = (int) Math.ceil(share * sortedNs.length);
      return sortedNs[Math.max(rank, 1) - 1] / 1e3;
    }
  }
}
