package parhelion.lab;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.util.List;

/**
 * One line of the results: the times of one query in one mode, and its answer, so that two arms can be compared before
 * their times are. {@code hits} is always the exact number of matching documents, also where the mode did not count;
 * {@code cpu_us} the mean processor time of a call, {@code n} the number of timed calls.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Row(
    @JsonProperty("class") String group,
    String name,
    String mode,
    long hits,
    @JsonProperty("median_us") double medianUs,
    @JsonProperty("p99_us") double p99Us,
    @JsonProperty("cpu_us") double cpuUs,
    int n,
    List<?> top) {
  static Row of(Arm.Run run, Arm.Answer answer, Stopwatch.Times times) throws IOException {
    Case of = run.of();
    return new Row(
        of.group(),
        of.name(),
        run.mode(),
        run.hits(),
        times.quantileUs(0.5),
        times.quantileUs(0.99),
        times.cpuNsPerCall() / 1e3,
        times.calls(),
        answer.top());
  }
}
