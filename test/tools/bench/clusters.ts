import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface BenchCluster {
  /** An install directory with a session at the operators' step. */
  readonly dir: string;
  readonly kubeconfig: string;
  /** Returns the number of requests by path. */
  readonly requestCounts: () => Promise<Readonly<Record<string, number>>>;
  readonly close: () => void;
}

/**
 * Starts a cluster of this size in its own process, so that its work is not measured.
 * @param program `cluster-main`, bundled
 */
export async function startCluster(
  program: string,
  dir: string,
  size: {
    readonly nodes: number;
    readonly operators: number;
    readonly requests: number;
    /** The current screen of its session; the default is the operators' screen. */
    readonly screen?: 'infra';
  },
): Promise<BenchCluster> {
  const args = [program, dir, `${size.nodes}`, `${size.operators}`, `${size.requests}`, size.screen ?? 'operators'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  const readLine = async () => {
    const [line] = (await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error('the cluster is gone'))),
    ])) as [string];
    return JSON.parse(line) as unknown;
  };
  const paths = (await readLine()) as { readonly dir: string; readonly kubeconfig: string };
  return {
    ...paths,
    async requestCounts() {
      child.stdin.write('?\n');
      return (await readLine()) as Readonly<Record<string, number>>;
    },
    close: () => child.kill(),
  };
}
