import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { createAppender } from '../site/files.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const START_LINES: Readonly<Record<string, string>> = {
  named: 'all zones loaded',
  dhcpd: 'Server starting service.',
  'kea-dhcp4': 'INFO DHCP4_STARTED Kea DHCPv4 server started',
  haproxy: '[NOTICE] Loading success.',
};

/** Returns the log line of a program that loads its file after it refused an earlier one. */
export const getStartLine = (program: string) => START_LINES[program] ?? 'started';

/** Formats the log lines of a program that refuses its file. */
export function formatRefusal(name: string, detail: string): string[] {
  // The file is valid: another load balancer holds the address for now.
  if (detail.includes('cannot bind socket')) return [`[ALERT] ${detail}`];
  if (name === 'haproxy')
    return [`[ALERT] config : ${detail}`, '[ALERT] config : Fatal errors found in configuration.'];
  if (name === 'dhcpd') return [detail, 'Configuration file errors encountered -- exiting'];
  if (name === 'kea-dhcp4') return [`ERROR DHCP4_CONFIG_LOAD_FAIL configuration error using file, reason: ${detail}`];
  return [detail, 'loading configuration: failure'];
}

/**
 * Opens the /var/log/messages of a host.
 * @returns appends a line of a program
 */
export function openHostLog(options: {
  readonly name: string;
  readonly root: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}) {
  const { name, root, clock, signal } = options;
  const append = createAppender(join(root, 'var/log/messages'), signal);
  return (program: string, line: string): void => {
    const time = new Date(clock.now());
    const day = String(time.getUTCDate()).padStart(2, ' ');
    const stamp = `${MONTHS[time.getUTCMonth()]} ${day} ${time.toISOString().slice(11, 19)}`;
    append(`${stamp} ${name} ${program}[${1000 + program.length}]: ${line}`);
  };
}
