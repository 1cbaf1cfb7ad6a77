# What the scripts of this folder share. To be sourced.

# Makes DIR a new folder, in the one that DIR names if it names one. So a script may remove DIR at its end.
new_folder() {
    DIR=${DIR:-${TMPDIR:-/tmp}}
    mkdir -p "$DIR"
    DIR=$(mktemp -d "$DIR/$(basename "$0").XXXXXX")
}

# Whether this process answers at a port. A Redis that still loads its log says so, and that is no answer. Nor is that of
# another server, which has the port: ours will end.
answers() { # port process
    [ "$(redis-cli -p "$1" ping 2>/dev/null)" = PONG ] &&
        redis-cli -p "$1" info server 2>/dev/null | tr -d '\r' | grep -qx "process_id:$2"
}

# Waits until a server that was started answers.
wait_for() { # port process
    for _ in $(seq 100); do
        ! answers "$1" "$2" || return 0
        if ! kill -0 "$2" 2>/dev/null; then
            echo "the server for port $1 has ended; is the port taken?" >&2
            return 1
        fi
        sleep 0.1
    done
    echo "process $2 does not answer at port $1" >&2
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
