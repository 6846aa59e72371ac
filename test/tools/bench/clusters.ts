import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface BenchCluster {
  /** An install directory with a session at the operators' step. */
  readonly dir: string;
  readonly kubeconfig: string;
  readonly close: () => void;
}

/** A cluster of that size (`program`: cluster-main, bundled), in a process of its own: its work does not count. */
export async function startCluster(
  program: string,
  dir: string,
  size: { readonly nodes: number; readonly operators: number; readonly requests: number },
): Promise<BenchCluster> {
  const args = [program, dir, `${size.nodes}`, `${size.operators}`, `${size.requests}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the cluster did not start'))),
  ])) as [Buffer];
  return { ...(JSON.parse(line.toString()) as { dir: string; kubeconfig: string }), close: () => child.kill() };
}
