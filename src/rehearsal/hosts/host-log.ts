import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { appender } from '../site/files.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** What each says when it takes its file after one that it refused. */
const WELL: Readonly<Record<string, string>> = {
  named: 'all zones loaded',
  dhcpd: 'Server starting service.',
  'kea-dhcp4': 'INFO DHCP4_STARTED Kea DHCPv4 server started',
  haproxy: '[NOTICE] Loading success.',
};

/** What a program logs when it takes its file after one that it refused. */
export const takenLine = (program: string) => WELL[program] ?? 'started';

/** What a program logs of a file that it refuses. */
export function refusalLines(name: string, detail: string): string[] {
  // Its file is right: the address is another balancer's, for now.
  if (detail.includes('cannot bind socket')) return [`[ALERT] ${detail}`];
  if (name === 'haproxy')
    return [`[ALERT] config : ${detail}`, '[ALERT] config : Fatal errors found in configuration.'];
  if (name === 'dhcpd') return [detail, 'Configuration file errors encountered -- exiting'];
  if (name === 'kea-dhcp4') return [`ERROR DHCP4_CONFIG_LOAD_FAIL configuration error using file, reason: ${detail}`];
  return [detail, 'loading configuration: failure'];
}

/** The /var/log/messages of a host: a program and its line are appended to it. */
export function openHostLog(options: {
  readonly name: string;
  readonly root: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}) {
  const { name, root, clock, signal } = options;
  const append = appender(join(root, 'var/log/messages'), signal);
  return (program: string, line: string): void => {
    const at = new Date(clock.now());
    const day = String(at.getUTCDate()).padStart(2, ' ');
    const stamp = `${MONTHS[at.getUTCMonth()]} ${day} ${at.toISOString().slice(11, 19)}`;
    append(`${stamp} ${name} ${program}[${1000 + program.length}]: ${line}`);
  };
}
