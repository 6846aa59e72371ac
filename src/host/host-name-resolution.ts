import { isIP } from 'node:net';
import { execa } from 'execa';
import { getMinimalEnvironment } from '../platform/environment.ts';

/** Limit of a lookup (ms). glibc waits 5 s for a name server that does not answer, and then queries the next one. */
const LOOKUP_TIMEOUT_MS = 8000;

/** The result of a lookup. `unknown`: getent, which does the lookup, is missing. */
interface HostNameResolution {
  readonly state: 'answered' | 'no-name' | 'timeout' | 'unknown';
  /** Sorted. */
  readonly addresses: readonly string[];
  readonly seconds: number;
}

/** Resolves a name as programs of this machine do (getaddrinfo): with hosts file, search list and all name servers. */
export async function resolveHostName(name: string): Promise<HostNameResolution> {
  const startedAt = performance.now();
  // A separate process: getaddrinfo(3) cannot be cancelled, and would occupy one of Node.js's few threads.
  const { stdout, exitCode, timedOut, code } = await execa('getent', ['ahosts', name], {
    reject: false,
    stdin: 'ignore',
    env: getMinimalEnvironment(),
    extendEnv: false,
    timeout: LOOKUP_TIMEOUT_MS,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  if (code === 'ENOENT') return { state: 'unknown', addresses: [], seconds };
  if (timedOut) return { state: 'timeout', addresses: [], seconds };
  const addresses = [...new Set(stdout.split('\n').map((line) => line.split(/\s/)[0] ?? ''))];
  const validAddresses = addresses.filter((address) => isIP(address) !== 0).sort();
  return {
    state: exitCode === 0 && validAddresses.length > 0 ? 'answered' : 'no-name',
    addresses: validAddresses,
    seconds,
  };
}
