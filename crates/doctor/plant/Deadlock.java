/** Two threads take two monitors, each in its own order, and the main thread waits for one of them. */
public final class Deadlock {
    private static final Object LEFT = new Object();
    private static final Object RIGHT = new Object();
    private static final java.util.concurrent.CyclicBarrier BOTH = new java.util.concurrent.CyclicBarrier(2);

    public static void main(String[] arguments) throws Exception {
        Thread first = new Thread(() -> takeBoth(LEFT, RIGHT), "first");
        Thread second = new Thread(() -> takeBoth(RIGHT, LEFT), "second");
        first.start();
        second.start();
        System.out.println("ready");
        first.join();
    }

    private static void takeBoth(Object one, Object other) {
        synchronized (one) {
            try {
                BOTH.await();
            } catch (Exception interrupted) {
                throw new IllegalStateException(interrupted);
            }
            synchronized (other) {
                System.out.println("never");
            }
        }
    }
}
