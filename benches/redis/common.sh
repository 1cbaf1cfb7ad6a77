# What the scripts of this folder share. To be sourced.

# Waits until a server answers. A Redis that still loads its log says so, and that is no answer.
wait_for() {
    for _ in $(seq 100); do
        [ "$(redis-cli -p "$1" ping 2>/dev/null)" != PONG ] || return 0
        sleep 0.1
    done
    echo "nobody answers at port $1" >&2
    return 1
}

# Ticks of processor time that a process has used, and microseconds for one of so many commands between two of these.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
microseconds() { # before after commands
    awk -v t=$(($2 - $1)) -v n="$3" -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", t * 1e6 / hz / n }'
}

# The median of a column of a file of measurements, one a line; of two, the lower.
median() { # column file
    cut -d' ' -f"$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
