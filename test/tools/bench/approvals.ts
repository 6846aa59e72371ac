import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import * as z from 'zod';
import { createLargeDesign } from './designs.ts';
import type { Bundle } from './live.ts';

const WARM_UPS = 1;
const RUNS = 5;

const serverSchema = z.object({ port: z.number(), ca: z.string(), kubeconfig: z.string() });
const countersSchema = z.object({ puts: z.number(), ms: z.number(), most: z.number() });

/**
 * Measures `csr approve --expected` of the built program for 400 pending nodes. The reference is a program that only
 * sends 400 bare PUTs over 8 open connections to the same server, alternately. Times are in ms, from the first PUT to
 * the end of the last, as the server measured them.
 */
export async function measureApprovals(program: string, bundle: Bundle, dir: string) {
  const main = join(dirname(fileURLToPath(import.meta.url)), 'approvals-server.ts');
  const server = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The server is killed and does not clean up.
    env: { ...process.env, TMPDIR: dir },
  });
  try {
    const [line] = await new Promise<string[]>((resolve, reject) => {
      createInterface({ input: server.stdout }).once('line', (text) => resolve([text]));
      server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    const { port, ca, kubeconfig } = serverSchema.parse(JSON.parse(line ?? ''));
    const agent = new Agent({ keepAlive: true, ca, servername: 'api.ocp45.example.localdomain' });
    const send = (method: string, path: string) => exchange(agent, port, method, path);
    const barePuts = await bundle('bare-puts.ts');
    const design = join(dir, 'approvals.yaml');
    writeFileSync(design, stringify(createLargeDesign(400)));
    const measure = async (action: () => Promise<unknown>) => {
      await send('POST', '/reset');
      await action();
      const found = countersSchema.parse(JSON.parse(await send('GET', '/measured')));
      if (found.puts !== 400) throw new Error(`${found.puts} of 400 were approved`);
      return found;
    };
    const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    const target = ['--design', design, '--kubeconfig', kubeconfig];
    const runProgram = () => run(program, 'csr', 'approve', '--expected', '--json', ...target);
    const runBarePuts = () => run(barePuts, kubeconfig);
    const samples = { value: [] as number[], reference: [] as number[], most: 0 };
    for (let run = 0; run < WARM_UPS + RUNS; run += 1) {
      const [value, reference] = [await measure(runProgram), await measure(runBarePuts)];
      if (run < WARM_UPS) continue;
      samples.value.push(value.ms);
      samples.reference.push(reference.ms);
      samples.most = Math.max(samples.most, value.most);
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
