#!/usr/bin/bash
# Streams the journal of this boot to the console. The console says up to where it has
# the journal; that is kept in /run, and what comes behind it is sent. The token stands in
# a file that curl reads, here in the working directory: neither on a command line nor in
# the journal.
set -u
umask 077
export LC_ALL=C

sys=${1:-/sys/class}
boot=${2:-/proc/sys/kernel/random/boot_id}
run=${RUNTIME_DIRECTORY:-/run/ironworks-journal}
most_lines=500 most_bytes=1000000
fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,SYSLOG_FACILITY,_SYSTEMD_UNIT,UNIT,CONTAINER_NAME
fields+=,CONTAINER_PARTIAL_MESSAGE,_LINE_BREAK,_TRANSPORT,_BOOT_ID,_COMM,_PID

ending=
trap 'ending=1' TERM INT
mkdir -p "$run" || exit 1

# say writes to the journal, and not the same thing twice: what it writes is sent, too.
said=
say() {
	[[ $1 == "$said" ]] || printf '%s\n' "$1"
	said=$1
}

# pause can be interrupted by the end of the unit.
pause() {
	[[ $ending ]] || { sleep "$1" & wait "$!"; }
}

# first_line reads that of a file into line, whether it ends or not.
line=
first_line() {
	line=
	read -r line <"$1"
	[[ $line ]]
} 2>/dev/null

# introduce writes who we are, for curl, by what is plugged in: no bonds, bridges and
# virtual functions. Interfaces may come later than this unit.
introduce() {
	local device macs=
	for device in "$sys"/net/*/device; do
		[[ -e $device && ! -e $device/physfn && ${#macs} -lt 1000 ]] || continue
		first_line "${device%/device}/address" || continue
		[[ $line =~ ^[0-9a-f]{2}(:[0-9a-f]{2}){5}$ && $line != 00:00:00:00:00:00 ]] && macs+=,$line
	done
	{
		printf 'header = "Ironworks-Macs: %s"\n' "${macs#,}"
		first_line "$sys/dmi/id/product_uuid" && [[ $line =~ ^[0-9A-Fa-f-]{36}$ ]] && printf 'header = "Ironworks-System: %s"\n' "$line"
		first_line "$boot" && printf 'header = "Ironworks-Boot: %s"\n' "$line"
	} >"$run/machine"
}

cursor=none
read_cursor() {
	first_line "$1" && [[ $line =~ ^[0-9A-Za-z=\;]{1,255}$ ]] && cursor=$line
}

keep_cursor() {
	printf '%s\n' "$cursor" >"$run/cursor.new" && mv -f "$run/cursor.new" "$run/cursor"
}

# entries prints what comes behind the cursor.
entries() {
	local after=()
	[[ $cursor == none ]] || after=("--after-cursor=$cursor")
	journalctl -b --quiet --no-pager --output=json "--output-fields=$fields" "${after[@]}" "$@" 2>/dev/null </dev/null
}

# collect puts whole lines into the batch: as many as fit, or one that is larger than all
# that fits, with its large fields left out.
collect() {
	entries --all | head -n "$most_lines" | head -c "$most_bytes" >"$run/batch"
	[[ -s $run/batch ]] || return
	if [[ $(tail -c 1 "$run/batch" | od -An -tu1) -ne 10 ]]; then
		if [[ $(wc -l <"$run/batch") -gt 0 ]]; then
			head -n -1 "$run/batch" >"$run/whole" && mv -f "$run/whole" "$run/batch"
		else
			entries | head -n 1 >"$run/batch"
		fi
	fi
}

# post sends the batch. 0: it was taken; 1: the console is at another line; 2: not taken.
post() {
	local code why
	: >"$run/answer"
	code=$(curl --disable --config curl --config "$run/machine" --header "Ironworks-After: $cursor" \
		--data-binary "@$run/batch" --output "$run/answer" --write-out '%{http_code}' 2>"$run/error" </dev/null)
	case $code in
	200 | 409)
		read_cursor "$run/answer" || { say "the console answers nonsense"; return 2; }
		keep_cursor
		[[ $code == 200 ]] && return 0
		return 1
		;;
	000)
		why=$(head -c 200 "$run/error" | head -n 1 | tr -cd '[:print:]')
		say "cannot reach the console: ${why%% after *}" # so many ms
		;;
	429) ;; # it is busy with what came before
	*) say "the console answers $code: $(head -c 200 "$run/answer" | head -n 1 | tr -cd '[:print:]')" ;;
	esac
	return 2
}

read_cursor "$run/cursor" || cursor=none
wait=1 idle=20
while :; do
	# At the end the journal is read once more: what was written until then is sent.
	last=$ending
	introduce
	collect
	# Without news it says now and then that it lives, which also finds a console that
	# has started again.
	if [[ -s $run/batch || $idle -ge 20 || $last ]]; then
		idle=0
		post
		case $? in
		0)
			[[ $said ]] && say "the console takes the journal"
			said=
			wait=1
			;;
		1) wait=1 ;;
		*)
			[[ $last ]] && exit 0
			pause "$wait"
			wait=$((wait < 20 ? wait * 2 : 30))
			idle=20
			continue
			;;
		esac
	fi
	[[ $last && ! -s $run/batch ]] && exit 0
	[[ -s $run/batch ]] && continue
	idle=$((idle + 1))
	pause 1
done
