import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { run } from '../../../src/cli/main.ts';
import { exampleDesign } from '../../../src/design/example.ts';
import { followLog } from '../../../src/installer/log.ts';
import { clientObject, commonName, organization, san, servingObject } from '../../support/csr-forge.ts';
import { type LiveCluster, startLiveCluster } from '../../support/live-cluster.ts';
import { POISON, rawIn } from '../hostile.ts';
import { poisonAnswer } from '../poison-answer.ts';
import { newTally, type Row, type Tally, type Torture } from '../row.ts';

/** How many strings of each place a whole run tries at least. */
const EACH = 500;

/** Hostile text in all that comes from outside: what comes out has no control and no invisible character. */
export const hostileText: Row = {
  what: 'hostile text (controls, escape sequences, bidi, zero-width, tags, halves of characters, newlines) in every field of a design, imported files, answers of the API, log lines, certificate requests; all that the commands print, also --json',
  target:
    '>= 500 strings in each of the 5 places; no control or invisible character comes out raw, no newline makes a line',
  least: 5 * EACH,
  needs: [],
  async run(torture) {
    const tally = newTally(torture.say);
    const least = torture.isShort ? 30 : EACH;
    const counts = {
      fields: await inFields(torture, tally, least),
      files: await inFiles(torture, tally, least),
      API: await inApi(torture, tally, least),
      log: await inLog(torture, tally, least),
      requests: await inRequests(tally, least),
    };
    // A case tries one string; where commands ask an API, one look at it shows many.
    const strings = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const figure = Object.entries(counts).map(([place, count]) => `${place} ${count}`);
    return { cases: strings, failures: unique(tally.failures), figure: `strings: ${figure.join(', ')}` };
  },
};

/** One line for each way to fail, with one example. */
function unique(failures: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const failure of failures) {
    const kind = failure.replace(/ .*?: /, ': ').slice(0, 60);
    if (!seen.has(kind)) seen.set(kind, failure);
  }
  return [...seen.values()];
}

/** Poison in turn: alone, before, after and inside a text. */
function* poisoned(around: string): Generator<string> {
  for (let round = 0; ; round += 1) {
    const poison = POISON[round % POISON.length] ?? '';
    const half = Math.floor(around.length / 2);
    const forms = [poison, poison + around, around + poison, around.slice(0, half) + poison + around.slice(half)];
    yield forms[Math.floor(round / POISON.length) % forms.length] ?? poison;
  }
}

/** What the command line prints, on its way out of this process. */
async function printed(argv: readonly string[]): Promise<readonly string[]> {
  const texts = { stdout: '', stderr: '' };
  const real = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: string | Uint8Array) => {
      texts[name] += String(chunk);
      return true;
    };
  }
  try {
    await run(argv, NOBODY);
  } finally {
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].write = real[name];
      process[name].removeAllListeners('error');
    }
  }
  return [texts.stdout, texts.stderr];
}

const NOBODY: Parameters<typeof run>[1] = {
  loadWizard: () => Promise.reject(new Error('no screens here')),
  loadPlain: () => Promise.reject(new Error('no questions here')),
  programs: { bootServer: '', executable: '', site: '', standIn: '' },
};

/** Every text of the example's YAML, one at a time, and names of keys. */
async function inFields(torture: Torture, tally: Tally, least: number): Promise<number> {
  const lines = exampleDesign({}).split('\n');
  const places = lines.flatMap((line, index) => (/^\s*(?:- )?\w+: \S/.test(line) ? [index] : []));
  const file = join(torture.dir, 'design.yaml');
  const poisons = poisoned('text');
  let count = 0;
  while (count < least) {
    for (const place of places) {
      const text = JSON.stringify(poisons.next().value);
      const isKey = count % 5 === 4;
      const replaced = lines.map((line, index) => {
        if (index !== place) return line;
        return isKey ? line.replace(/\w+: /, `${text}: `) : line.replace(/: .*/, `: ${text}`);
      });
      writeFileSync(file, replaced.join('\n'));
      count += 1;
      await tally.try(`field ${lines[place]?.trim()} = ${text}`, async () => {
        const out = [
          ...(await printed(['design', 'check', file])),
          ...(await printed(['design', 'check', file, '--json'])),
          ...(await printed(['generate', file, '--out', join(torture.dir, 'out')])),
        ];
        return out.flatMap((each) => rawIn(each) ?? []);
      });
      if (torture.isShort && count >= least) break;
    }
  }
  return count;
}

const IMPORTED: readonly ((text: string) => string)[] = [
  (text) => `name,ip,mac,disk\nw1,172.16.0.31,00:50:56:96:6b:da,${text}\n`,
  (text) => `name,ip,mac,${text}\nw1,172.16.0.31,00:50:56:96:6b:da,x\n`,
  (text) => `${text} 172.16.0.31 00:50:56:96:6b:da\n`,
  (text) => `name,ip,mac,cpu\nw1,${text},00:50:56:96:6b:da,${text}\n`,
  (text) =>
    `host ${text} { hardware ethernet 00:50:56:96:6b:da; fixed-address 172.16.0.31; option host-name "${text}"; }\n`,
  (text) =>
    `apiVersion: v1\nbaseDomain: ${JSON.stringify(text)}\nmetadata: { name: ${JSON.stringify(text)} }\n${JSON.stringify(text)}: 1\nsshKey: ${JSON.stringify(text)}\n`,
  (text) =>
    `helper: { name: ${JSON.stringify(text)}, ipaddr: "192.168.7.77" }\ndns: { domain: example.com, clusterid: ${JSON.stringify(text)}, forwarder1: ${JSON.stringify(text)} }\n`,
  (text) => `${text}\n`,
];

async function inFiles(torture: Torture, tally: Tally, least: number): Promise<number> {
  const dir = join(torture.dir, 'imported');
  mkdirSync(dir);
  const poisons = poisoned('w1');
  for (let count = 0; count < least; count += 1) {
    const text = poisons.next().value;
    const make = IMPORTED[count % IMPORTED.length] ?? String;
    const file = join(dir, 'file');
    writeFileSync(file, make(text));
    await tally.try(`file of form ${count % IMPORTED.length} with ${JSON.stringify(text)}`, async () => {
      return (await printed(['design', 'import', file])).flatMap((each) => rawIn(each) ?? []);
    });
  }
  return least;
}

const LOOKS: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--json'],
  ['csr', 'list'],
  ['csr', 'list', '--json'],
  ['infra', 'plan'],
  ['infra', 'plan', '--json'],
  ['infra', 'verify'],
];

/** Every answer of the API with poison in its texts, and refusals that say it. */
async function inApi(torture: Torture, tally: Tally, least: number): Promise<number> {
  const cluster = await startLiveCluster();
  const poisons = poisoned('text');
  let count = 0;
  let isRefusing = false;
  try {
    for (const [index, name] of ['i1', 'i2', 'w1'].entries()) cluster.addNode(name, `172.16.0.4${index + 1}`);
    await cluster.addRequest('csr-1', 'w2');
    cluster.add('clusteroperators.config.openshift.io', {
      metadata: { name: 'ingress' },
      status: {
        conditions: [{ type: 'Available', status: 'False', reason: 'R', message: 'M' }],
        versions: [{ name: 'operator', version: '4.18.1' }],
      },
    });
    cluster.add('dnses.operator.openshift.io', {
      metadata: { name: 'default' },
      spec: { nodePlacement: { tolerations: [{ key: 'k' }] } },
    });
    cluster.add('ingresscontrollers.operator.openshift.io', {
      metadata: { name: 'default', namespace: 'openshift-ingress-operator', annotations: { a: 'b' } },
      spec: { nodePlacement: { nodeSelector: { matchLabels: { x: 'y' } } } },
      status: { conditions: [{ type: 'Degraded', status: 'True', reason: 'R', message: 'M' }] },
    });
    cluster.intercept = (_request, response) => {
      if (isRefusing) {
        const message = poisons.next().value;
        count += 1;
        response.writeHead(403, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: message, message }),
        );
        return true;
      }
      poisonAnswer(response, (text) => {
        if (torture.random() < 0.6) return text;
        count += 1;
        return text + poisons.next().value;
      });
      return false;
    };
    for (let round = 0; count < least; round += 1) {
      const argv = LOOKS[round % LOOKS.length] ?? [];
      isRefusing = round % 10 === 9;
      await tally.try(`API, ${argv.join(' ')}`, async () => {
        return (await printed([...argv, ...filesOf(cluster)])).flatMap((text) => rawIn(text) ?? []);
      });
    }
  } finally {
    await cluster.close();
  }
  return count;
}

/** The options that name design and kubeconfig, wherever the command runs. */
function filesOf({ cwd, files }: LiveCluster): readonly string[] {
  return files.map((word) => (word === 'design.yaml' ? join(cwd, word) : word));
}

async function inLog(torture: Torture, tally: Tally, least: number): Promise<number> {
  const file = join(torture.dir, 'install.log');
  const poisons = poisoned('waiting');
  const forms: readonly ((text: string) => string)[] = [
    (text) => `time="2026-01-02T03:04:05Z" level=info msg=${JSON.stringify(text)}`,
    (text) => `level=error msg=${text}`,
    (text) => `INFO ${text}`,
    (text) => `W1121 04:08:11.123456   12 reflector.go:561] ${text}`,
    (text) => text,
  ];
  const log = followLog(file);
  for (let count = 0; count < least; count += 1) {
    const text = poisons.next().value;
    await tally.try(`log line with ${JSON.stringify(text)}`, async () => {
      appendFileSync(file, `${(forms[count % forms.length] ?? String)(text)}\n`);
      // A newline in a log ends its line, and a message may have several.
      const lines = await log.next();
      return lines.flatMap((line) => rawIn(line.text.replaceAll(/^INJECTED/gm, '')) ?? []);
    });
  }
  return least;
}

async function inRequests(tally: Tally, least: number): Promise<number> {
  const cluster = await startLiveCluster();
  const poisons = poisoned('w1.ocp45.example.localdomain');
  let objects: unknown[] = [];
  let count = 0;
  cluster.intercept = (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'GET' || !request.url?.includes('certificatesigningrequests')) return false;
    const list = {
      kind: 'CertificateSigningRequestList',
      apiVersion: 'certificates.k8s.io/v1',
      metadata: { resourceVersion: '1' },
      items: objects,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    return true;
  };
  try {
    while (count < least) {
      objects = Array.from({ length: 25 }, (_, index) => {
        const text = poisons.next().value;
        count += 1;
        const subject = [
          organization(index % 3 === 0 ? text : 'system:nodes'),
          commonName(index % 3 === 1 ? text : 'system:node:w1'),
        ];
        const object =
          index % 2 === 0
            ? clientObject({ subject })
            : servingObject({ subject, sans: [san.dns(text), san.email(text), san.uri(text)] });
        object.metadata.name = index % 4 === 0 ? `csr-${index}-${text}` : `csr-${index}`;
        object.metadata.labels = { [text]: text };
        if (index % 5 === 0) object.spec.username = text;
        if (index % 5 === 1) object.spec.groups = [text];
        if (index % 5 === 2) object.spec.signerName = text;
        if (index % 5 === 3)
          object.status = { conditions: [{ type: 'Denied', status: 'True', reason: text, message: text }] };
        return object;
      });
      for (const argv of [['list'], ['list', '--json'], ['approve', '--expected', '--yes']]) {
        await tally.try(`requests, ${argv.join(' ')}`, async () => {
          return (await printed(['csr', ...argv, ...filesOf(cluster)])).flatMap((text) => rawIn(text) ?? []);
        });
      }
    }
  } finally {
    await cluster.close();
  }
  return count;
}
