#!/bin/sh
# Builds the Lucene arm and runs it: run.sh --data CORPUS --queries QUERIES --out RESULTS [--index DIR] ...
# JAVA_HOME is used if set, else the newest JDK beside the `java` on PATH; Lucene 10 needs 21 or later.
# JAVA_OPTS come last on the JVM's line.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
built="$here/../../../target/lab/lucene"

jdk_newest() {
    beside=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")")
    for release in "$beside"/*/release; do
        [ -x "${release%/release}/bin/javac" ] || continue
        printf '%s %s\n' "$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$release")" "${release%/release}"
    done | sort -V | tail -n 1 | cut -d ' ' -f 2-
}

JAVA_HOME=${JAVA_HOME:-$(jdk_newest)}
export JAVA_HOME
mvn -q -B -f "$here/pom.xml" package >&2

# The vector module lets Lucene decode postings with SIMD; native access lets it advise the kernel about its maps. One
# thread measures, so the collector with the cheapest barriers and no threads of its own is the fair one.
# shellcheck disable=SC2086  # JAVA_OPTS is a list of words
exec "$JAVA_HOME/bin/java" -Xms2g -Xmx2g -XX:+UseSerialGC --add-modules jdk.incubator.vector \
    --enable-native-access=ALL-UNNAMED ${JAVA_OPTS:-} -cp "$built/classes:$built/lib/*" parhelion.lab.LuceneArm "$@"
