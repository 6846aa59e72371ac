import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface BenchCluster {
  /** An install directory with a session at the operators' step. */
  readonly dir: string;
  readonly kubeconfig: string;
  /** How often each path has been asked for. */
  readonly asked: () => Promise<Readonly<Record<string, number>>>;
  readonly close: () => void;
}

/** A cluster of that size (`program`: cluster-main, bundled), in a process of its own: its work does not count. */
export async function startCluster(
  program: string,
  dir: string,
  size: {
    readonly nodes: number;
    readonly operators: number;
    readonly requests: number;
    /** The screen that its session is at; left out: the operators'. */
    readonly screen?: 'infra';
  },
): Promise<BenchCluster> {
  const args = [program, dir, `${size.nodes}`, `${size.operators}`, `${size.requests}`, size.screen ?? 'operators'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  const answer = async () => {
    const [line] = (await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error('the cluster is gone'))),
    ])) as [string];
    return JSON.parse(line) as unknown;
  };
  const at = (await answer()) as { readonly dir: string; readonly kubeconfig: string };
  return {
    ...at,
    async asked() {
      child.stdin.write('?\n');
      return (await answer()) as Readonly<Record<string, number>>;
    },
    close: () => child.kill(),
  };
}
