import { WEB_ROOT } from '../../artifacts/shared/generator.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import type { HostFile, NetworkInterface, PrivilegedHostState } from '../../probes/probe-types.ts';

/** Number of lines read from keepalived's journal. */
const JOURNAL_LINES = 200;

/**
 * Commands for a POSIX shell in which `$root` runs a command as root. The output of each program becomes a line `inside
 * NAME BASE64`. The commands only read, and load no kernel module: iptables-legacy-save would, so it runs only if the
 * kernel has such tables.
 */
export const NETWORK_STATE_COMMAND = `PATH=$PATH:/usr/sbin:/sbin
inside() { name=$1; shift; if text=$($root timeout 5 "$@" 2>/dev/null); then printf 'inside %s %s\\n' "$name" "$(printf '%s' "$text" | base64 | tr -d '\\n')"; else echo "inside $name failed"; fi; }
has() { command -v "$1" >/dev/null 2>&1; }
if has nft; then inside nft nft -j list ruleset; inside nft-listing nft -a list ruleset; fi
for ip in ip ip6; do
  save=; for tool in \${ip}tables-nft-save \${ip}tables-save; do
    if [ -z "$save" ] && has $tool && $tool -V 2>/dev/null | grep -q nf_tables; then save=$tool; fi
  done
  if [ -n "$save" ]; then inside \${ip}tables $save; fi
  if $root grep -q . /proc/net/\${ip}_tables_names 2>/dev/null; then
    save=\${ip}tables-save; if has \${ip}tables-legacy-save; then save=\${ip}tables-legacy-save; fi
    inside \${ip}tables-legacy $save
  fi
done
inside addresses ip -o addr show
inside links ip -o link show
inside routes ip route show default
inside routes6 ip -6 route show default
inside journal journalctl -o short-iso -n ${JOURNAL_LINES} --no-pager -u keepalived
net=$($root readlink /proc/self/ns/net)
for process in /proc/[0-9]*; do
  case "$(cat "$process/comm" 2>/dev/null)" in
    keepalived | nginx | httpd | apache2 | named | haproxy | dhcpd | in.tftpd) ;;
    *) continue ;;
  esac
  if [ "$($root readlink "$process/ns/net" 2>/dev/null)" != "$net" ]; then continue; fi
  program=$(cat "$process/comm" 2>/dev/null)
  case " $programs " in *" $program "*) ;; *) programs="$programs $program"; echo "runs $program" ;; esac
  case "$program" in
    nginx | httpd | apache2) user=$($root stat -c %U "$process"); if [ "$user" != root ] || [ -z "$web" ]; then web=$user; fi ;;
    named) named=$($root stat -c %U "$process") ;;
    dhcpd) inside dhcpd tr '\\0' ' ' <"$process/cmdline" ;;
  esac
done
case " $programs " in *" nginx "*) inside nginx sh -c 'cat /etc/nginx/nginx.conf; cat /etc/nginx/conf.d/*.conf /etc/nginx/sites-enabled/* 2>/dev/null; true' ;; esac
case " $programs " in *" haproxy "*) inside haproxy cat /etc/haproxy/haproxy.cfg ;; esac
list='%y %m %u %p\n'
case " $programs " in *" named "*) for file in /etc/named.conf /etc/bind/named.conf; do if $root test -f $file; then
  inside named named-checkconf -px $file
  echo "named $named"
  inside named-unreadable sh -c 'conf=$(named-checkconf -px "$3")
    folder=$(printf "%s" "$conf" | sed -n "s/^[[:space:]]*directory \\"\\([^\\"]*\\)\\";/\\1/p" | head -n 1)
    for file in $(printf "%s" "$conf" | sed -n "s/^[[:space:]]*file \\"\\([^\\" ]*\\)\\";/\\1/p"); do
      case "$file" in /*) ;; *) file=$folder/$file ;; esac
      if [ -f "$file" ] && ! runuser -u "$1" -- test -r "$file"; then find "$file" -printf "$2"; fi
    done' sh "$named" "$list" $file
  break
fi; done ;; esac
if [ -n "$web" ] && $root test -d ${WEB_ROOT}; then
  echo "web $web"
  inside web-files find /var/www ${WEB_ROOT} -maxdepth 3 ! -name '*\n*' -printf "$list"
  # find fails where this user may not enter a folder, and goes on.
  inside web-readable sh -c 'if [ "$1" = root ]; then find ${WEB_ROOT} -maxdepth 3 -type f; else runuser -u "$1" -- find ${WEB_ROOT} -maxdepth 3 -type f -readable; fi; [ $? -le 1 ]' sh "$web"
fi
for folder in /srv/tftp /var/lib/tftpboot; do if $root test -d $folder; then inside tftp find $folder -maxdepth 2 -printf "$list"; fi; done`;

const [NFT, NFT_LISTING] = ['nft', 'nft-listing'];
const TABLE_TOOLS = ['iptables', 'ip6tables', 'iptables-legacy', 'ip6tables-legacy'];

/** Parses the output of `NETWORK_STATE_COMMAND`; null: there is none. */
export function parseNetworkState(lines: readonly string[]): PrivilegedHostState | null {
  const sections = new Map<string, string | null>();
  for (const line of lines) {
    const [, name, content] = /^inside ([\w-]+) ?(failed|[A-Za-z0-9+/=]*)$/.exec(line) ?? [];
    if (name !== undefined && content !== undefined)
      sections.set(name, content === 'failed' ? null : Buffer.from(content, 'base64').toString('utf8'));
  }
  if (sections.size === 0) return null;
  const getLines = (name: string) => (sections.get(name) ?? '').split('\n').filter((line) => line !== '');
  const defaultRoute = [...getLines('routes'), ...getLines('routes6')][0] ?? '';
  return {
    filter: parseFilterSections(sections),
    interfaces: parseInterfaces(getLines('links'), getLines('addresses')),
    defaultInterface: /\bdev (\S+)/.exec(defaultRoute)?.[1] ?? null,
    keepalived: {
      isRunning: lines.includes('runs keepalived'),
      journal: getLines('journal').map((line) => sanitizeLine(redact(line), 300)),
    },
    configs: {
      nginx: sections.get('nginx') ?? null,
      named: sections.get('named') ?? null,
      haproxy: sections.get('haproxy') ?? null,
    },
    unreadableZones: { user: findUser(lines, 'named') ?? '', files: getLines('named-unreadable').flatMap(parseFile) },
    dhcpd: sections.get('dhcpd') ?? null,
    web: parseWebServer(
      lines,
      getLines('web-files'),
      sections.get('web-readable') == null ? null : getLines('web-readable'),
    ),
    tftp: getLines('tftp').flatMap(parseFile),
  };
}

/** Finds the user of a server in a line `web USER` or `named USER`. */
function findUser(lines: readonly string[], server: 'web' | 'named'): string | undefined {
  const user = lines.find((line) => line.startsWith(`${server} `))?.slice(server.length + 1);
  return user !== undefined && /^[\w.@$-]+$/.test(user) ? user : undefined;
}

function parseWebServer(
  lines: readonly string[],
  files: readonly string[],
  readablePaths: readonly string[] | null,
): PrivilegedHostState['web'] {
  const user = findUser(lines, 'web');
  return user === undefined || readablePaths === null
    ? null
    : { user, files: files.flatMap(parseFile), readable: readablePaths };
}

/** Parses a line of find: type, mode in octal, owner, path. */
function parseFile(line: string): HostFile[] {
  const [, type = '', mode = '', owner = '', path = ''] = /^([a-zA-Z]) ([0-7]{1,4}) (\S+) (\/.*)$/.exec(line) ?? [];
  if (path === '' || (type !== 'f' && type !== 'd')) return [];
  return [{ path: sanitizeLine(path, 300), isFolder: type === 'd', mode: Number.parseInt(mode, 8), owner }];
}

function parseFilterSections(sections: ReadonlyMap<string, string | null>): PrivilegedHostState['filter'] {
  const tools = [NFT, NFT_LISTING, ...TABLE_TOOLS].filter((tool) => sections.has(tool));
  if (tools.length === 0) return null;
  const [json, listing] = [sections.get(NFT) ?? null, sections.get(NFT_LISTING) ?? null];
  return {
    nft: json === null || listing === null ? null : { json, listing },
    tables: TABLE_TOOLS.flatMap((tool) => {
      const text = sections.get(tool) ?? null;
      return text === null ? [] : [{ tool, text }];
    }),
    isComplete: tools.every((tool) => sections.get(tool) !== null),
  };
}

/** Parses the one-line output of `ip -o link` and `ip -o addr` (ip-address(8)). */
function parseInterfaces(links: readonly string[], addresses: readonly string[]): NetworkInterface[] {
  const addressesByInterface = Map.groupBy(
    addresses.flatMap((line) => {
      const [, name = '', address = ''] = /^\d+: (\S+) +inet6? (\S+)/.exec(line) ?? [];
      return name === ''
        ? []
        : [{ name, address: address.includes('/') ? address : `${address}/${address.includes(':') ? 128 : 32}` }];
    }),
    ({ name }) => name,
  );
  return links.flatMap((line) => {
    const [, name = ''] = /^\d+: ([^\s:@]+)/.exec(line) ?? [];
    const [, mac = ''] = /link\/ether ([0-9a-f:]{17})/.exec(line) ?? [];
    const mtu = / mtu (\d+)/.exec(line)?.[1];
    const networkInterface = {
      name,
      mac,
      addresses: (addressesByInterface.get(name) ?? []).map(({ address }) => address),
    };
    return name === '' ? [] : [mtu === undefined ? networkInterface : { ...networkInterface, mtu: Number(mtu) }];
  });
}
