import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import * as z from 'zod';
import { biggerDesign } from './designs.ts';
import type { Bundle } from './live.ts';

const WARM_UPS = 1;
const RUNS = 5;

const serverSchema = z.object({ port: z.number(), ca: z.string(), kubeconfig: z.string() });
const measuredSchema = z.object({ puts: z.number(), ms: z.number(), most: z.number() });

/**
 * `csr approve --expected` of the built program for 400 pending nodes, beside a program that only sends 400 bare PUTs
 * over 8 open connections, against the same server, in turn; ms from the first PUT to the end of the last, as the
 * server measured them.
 */
export async function approvals(program: string, bundle: Bundle, dir: string) {
  const main = join(dirname(fileURLToPath(import.meta.url)), 'approvals-server.ts');
  const server = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // It is killed, and cleans nothing.
    env: { ...process.env, TMPDIR: dir },
  });
  try {
    const [line] = await new Promise<string[]>((resolve, reject) => {
      createInterface({ input: server.stdout }).once('line', (text) => resolve([text]));
      server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    const { port, ca, kubeconfig } = serverSchema.parse(JSON.parse(line ?? ''));
    const agent = new Agent({ keepAlive: true, ca, servername: 'api.ocp45.example.localdomain' });
    const ask = (method: string, path: string) => exchange(agent, port, method, path);
    const barePuts = await bundle('bare-puts.ts');
    const design = join(dir, 'approvals.yaml');
    writeFileSync(design, stringify(biggerDesign(400)));
    const measure = async (act: () => Promise<unknown>) => {
      await ask('POST', '/reset');
      await act();
      const found = measuredSchema.parse(JSON.parse(await ask('GET', '/measured')));
      if (found.puts !== 400) throw new Error(`${found.puts} of 400 were approved`);
      return found;
    };
    const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    const target = ['--design', design, '--kubeconfig', kubeconfig];
    const ours = () => run(program, 'csr', 'approve', '--expected', '--json', ...target);
    const bare = () => run(barePuts, kubeconfig);
    const samples = { value: [] as number[], reference: [] as number[], most: 0 };
    for (let run = 0; run < WARM_UPS + RUNS; run += 1) {
      const [own, reference] = [await measure(ours), await measure(bare)];
      if (run < WARM_UPS) continue;
      samples.value.push(own.ms);
      samples.reference.push(reference.ms);
      samples.most = Math.max(samples.most, own.most);
    }
    agent.destroy();
    return samples;
  } finally {
    server.kill();
  }
}

function exchange(agent: Agent, port: number, method: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ agent, host: '127.0.0.1', port, method, path }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    })
      .on('error', reject)
      .end();
  });
}
