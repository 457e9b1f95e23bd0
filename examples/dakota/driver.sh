#!/bin/sh
# An analysis driver as Dakota's manual has them:  driver.sh params.in results.out
# It knows nothing of acuity. The heat that a fin gives off, integrated over its length by the midpoint rule with as many
# cells as the variable "value" says; in the Dakota study this was a state variable.
params=$1
results=$2

variable() { awk -v name="$1" '$2 == name { print $1; exit }' "$params"; }
conductance=$(variable conductance)
length=$(variable length)
cells=$(variable value)

awk -v m="$conductance" -v l="$length" -v n="$cells" '
  function temperature(s) { return exp(-m * s) * (1 + 0.3 * sin(8 * s)) }
  BEGIN {
    for (k = 0; k < n; ++k) heat += temperature((k + 0.5) * l / n) * l / n
    printf "%.12e heat\n", heat
  }' >"$results"
