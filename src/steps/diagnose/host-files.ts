import { open, readFile } from 'node:fs/promises';
import { ownAddresses } from '../../bastion/machine/facts.ts';
import { serviceHosts } from '../../design/names.ts';
import type { Evidence } from '../../diagnosis/causes/evidence.ts';
import { redact } from '../../text/redact.ts';
import { sanitize } from '../../text/sanitize.ts';
import type { StepContext } from '../contract.ts';
import { outputOf } from '../shared/files/output.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';

const KINDS = ['haproxy', 'isc-dhcpd', 'kea-dhcp4'] as const;
const LARGEST = 1024 * 1024;
/** Where a DHCP server's lines are, as the system logs them. */
const SYSTEM_LOGS = ['/var/log/messages', '/var/log/syslog'];
const LAST_BYTES = 512 * 1024;

/** The files that services run with, as they are on their hosts; those that cannot be read from here are left out. */
export async function filesSeen(context: StepContext): Promise<Evidence['files']> {
  // What stands there now may be of any stage; its place is the same in all.
  const { files } = await outputOf(context, liveStage(context)).catch(() => ({ files: [] }));
  const clean = (text: string) => sanitize(redact(text), LARGEST);
  const found = files.map(async ({ host, path, kind, content }) => {
    const known = KINDS.find((each) => each === kind);
    if (known === undefined || host === null) return [];
    const text = await readThere(context, host, path);
    return text === null ? [] : [{ host, kind: known, path, text: clean(text), planned: clean(content) }];
  });
  return (await Promise.all(found)).flat();
}

/** The end of the system log of the DHCP server; empty where it cannot be read from here. */
export async function dhcpLog(context: StepContext): Promise<string> {
  const { server } = context.design.services.dhcp;
  if (server === null) return '';
  for (const path of SYSTEM_LOGS) {
    const text = await context.hands.readFile(server, path);
    if (text !== null) return text.slice(-LAST_BYTES);
    const own = isHere(context, server) ? await tail(path) : null;
    if (own !== null) return own;
  }
  return '';
}

/** A file on a service host: by the hands, or here where this machine is that host. */
async function readThere(context: StepContext, host: string, path: string): Promise<string | null> {
  const text = await context.hands.readFile(host, path);
  if (text !== null || !isHere(context, host)) return text;
  return await readFile(path, 'utf8').catch(() => null);
}

function isHere({ design, hands }: StepContext, name: string): boolean {
  const own = ownAddresses();
  return (
    hands.isPerson &&
    serviceHosts(design).some((host) => host.name === name && host.ip.some((address) => own.has(address)))
  );
}

async function tail(path: string): Promise<string | null> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, LAST_BYTES));
    await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } catch {
    return null;
  }
}
