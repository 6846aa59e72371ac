import { stat } from 'node:fs/promises';
import type { Clock } from '../ports/clock.ts';
import type { Reach } from '../ports/reach.ts';
import type { Cluster } from './api.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { credentialsTrouble } from './kubeconfig-user.ts';
import { clusterOver } from './requests.ts';
import { openTransport } from './transport.ts';

const TIMEOUT = 10_000;

/**
 * Opens the API that a kubeconfig leads to; sends no request yet. Returns the same API as long as the file is the same.
 * @param options.kubeconfig path of the file
 * @param options.reach where to connect for the name in it
 * @param options.timeoutMs the longest a request may take, in milliseconds of the clock (10 s)
 * @throws TroubleError `kubeconfig-…` when the file cannot be used
 */
export async function connect(options: {
  readonly kubeconfig: string;
  readonly reach: Reach;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}): Promise<Cluster> {
  const { kubeconfig: path, reach, clock, timeoutMs = TIMEOUT } = options;
  const stamp = await stampOf(path);
  const known = opened.get(path);
  if (
    stamp !== null &&
    known?.stamp === stamp &&
    known.reach === reach &&
    known.clock === clock &&
    known.timeoutMs === timeoutMs
  )
    return known.cluster;
  const kubeconfig = await readKubeconfig(path, clock);
  const send = await openTransport({ kubeconfig, path, reach, clock, timeoutMs }).catch((error: unknown) => {
    throw credentialsTrouble(path, error);
  });
  const cluster = clusterOver(send, clock);
  // The files that it refers to may change while it stays the same.
  if (stamp !== null && kubeconfig.identity !== null) opened.set(path, { stamp, reach, clock, timeoutMs, cluster });
  else opened.delete(path);
  return cluster;
}

// Parsing certificates and key takes longer than a request. Each look opens the API anew because the installer rewrites
// the file when it completes, and most looks find it unchanged.
const opened = new Map<
  string,
  Required<Omit<Parameters<typeof connect>[0], 'kubeconfig'>> & { stamp: string; cluster: Cluster }
>();

/** Identifies this version of the file; null where it cannot be read. */
async function stampOf(path: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return null;
  }
}
