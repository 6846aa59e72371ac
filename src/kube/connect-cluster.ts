import { stat } from 'node:fs/promises';
import type { Clock } from '../platform/clock.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import type { Cluster } from './api.ts';
import { createClusterClient } from './cluster-client.ts';
import { createCredentialsError, readKubeconfig } from './kubeconfig.ts';
import { openTransport } from './transport.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Opens the API of a kubeconfig; sends no request yet. Returns the same API as long as the file is the same.
 * @param options.kubeconfig path of the file
 * @param options.resolveEndpoint maps the server name in the file to an endpoint
 * @param options.timeoutMs the longest a request may take, in milliseconds of the clock (10 s)
 * @throws UserErrorException `kubeconfig-…` when the file cannot be used
 */
export async function connectCluster(options: {
  readonly kubeconfig: string;
  readonly resolveEndpoint: ResolveEndpoint;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}): Promise<Cluster> {
  const { kubeconfig: path, resolveEndpoint, clock, timeoutMs = REQUEST_TIMEOUT_MS } = options;
  const fileVersion = await readFileVersion(path);
  const openCluster = openClusters.get(path);
  if (
    fileVersion !== null &&
    openCluster?.fileVersion === fileVersion &&
    openCluster.resolveEndpoint === resolveEndpoint &&
    openCluster.clock === clock &&
    openCluster.timeoutMs === timeoutMs
  )
    return openCluster.cluster;
  const kubeconfig = await readKubeconfig(path, clock);
  const { send, exec } = await openTransport({ kubeconfig, path, resolveEndpoint, clock, timeoutMs }).catch(
    (error: unknown) => {
      throw createCredentialsError(path, error);
    },
  );
  const cluster = createClusterClient(send, exec, clock);
  // The files that a kubeconfig refers to may change while the kubeconfig itself does not.
  if (fileVersion !== null && kubeconfig.identity !== null)
    openClusters.set(path, { fileVersion, resolveEndpoint, clock, timeoutMs, cluster });
  else openClusters.delete(path);
  return cluster;
}

// Parsing certificates and key takes longer than a request. Each probe opens the API again because the installer
// rewrites the file when it completes; most probes find it unchanged.
const openClusters = new Map<
  string,
  Required<Omit<Parameters<typeof connectCluster>[0], 'kubeconfig'>> & { fileVersion: string; cluster: Cluster }
>();

/** Identifies this version of the file; null where it cannot be read. */
async function readFileVersion(path: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return null;
  }
}
