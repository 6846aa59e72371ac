import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { run } from '../../../src/cli/main.ts';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { createLogFollower } from '../../../src/installer/log.ts';
import { commonName, createClientObject, createServingObject, organization, san } from '../../support/csr-forge.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../../support/simulated-cluster.ts';
import { findUnsafeText, POISON } from '../hostile.ts';
import { poisonResponse } from '../poison-response.ts';
import { createTally, type Row, type Tally, type Torture } from '../row.ts';

/** Minimum number of strings that a whole run tries in each place. */
const MIN_PER_PLACE = 500;

/** Hostile text in everything from outside: the output has no control and no invisible character. */
export const hostileText: Row = {
  description:
    'Put hostile text (control characters, escape sequences, bidi, zero-width, tag characters, lone surrogates, newlines) into every field of a design, imported files, API responses, log lines and certificate requests. Check all output of the commands, also with --json.',
  target:
    '>= 500 strings in each of the 5 places; no control or invisible character is printed raw, no newline starts a new line',
  minCases: 5 * MIN_PER_PLACE,
  needs: [],
  async run(torture) {
    const tally = createTally(torture.report);
    const minimum = torture.isShort ? 30 : MIN_PER_PLACE;
    const counts = {
      fields: await tryFields(torture, tally, minimum),
      files: await tryFiles(torture, tally, minimum),
      API: await tryApi(torture, tally, minimum),
      log: await tryLog(torture, tally, minimum),
      requests: await tryRequests(tally, minimum),
    };
    // A case tries one string, but one command with an API shows many: strings are counted.
    const strings = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const figure = Object.entries(counts).map(([place, count]) => `${place} ${count}`);
    return { cases: strings, failures: keepOnePerKind(tally.failures), figure: `strings: ${figure.join(', ')}` };
  },
};

/** Keeps one example of each kind of failure. */
function keepOnePerKind(failures: readonly string[]): string[] {
  const examples = new Map<string, string>();
  for (const failure of failures) {
    const kind = failure.replace(/ .*?: /, ': ').slice(0, 60);
    if (!examples.has(kind)) examples.set(kind, failure);
  }
  return [...examples.values()];
}

/** Yields hostile text in turn: alone, before, after and inside a text. */
function* poisonText(text: string): Generator<string> {
  for (let round = 0; ; round += 1) {
    const poison = POISON[round % POISON.length] ?? '';
    const half = Math.floor(text.length / 2);
    const forms = [poison, poison + text, text + poison, text.slice(0, half) + poison + text.slice(half)];
    yield forms[Math.floor(round / POISON.length) % forms.length] ?? poison;
  }
}

/**
 * Runs a command in this process.
 * @returns its output on stdout and on stderr
 */
async function captureOutput(argv: readonly string[]): Promise<readonly string[]> {
  const texts = { stdout: '', stderr: '' };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: string | Uint8Array) => {
      texts[name] += String(chunk);
      return true;
    };
  }
  try {
    await run(argv, NO_FRONT_ENDS);
  } finally {
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].write = originals[name];
      process[name].removeAllListeners('error');
    }
  }
  return [texts.stdout, texts.stderr];
}

const NO_FRONT_ENDS: Parameters<typeof run>[1] = {
  loadScreens: () => Promise.reject(new Error('no screens here')),
  loadPlain: () => Promise.reject(new Error('no questions here')),
  programs: { bootServer: '', executable: '', site: '', standIn: '' },
};

/** Replaces the texts of the example's YAML one at a time, and some names of keys. */
async function tryFields(torture: Torture, tally: Tally, minimum: number): Promise<number> {
  const lines = renderExampleDesign({}).split('\n');
  const places = lines.flatMap((line, index) => (/^\s*(?:- )?\w+: \S/.test(line) ? [index] : []));
  const file = join(torture.dir, 'design.yaml');
  const poisons = poisonText('text');
  let count = 0;
  while (count < minimum) {
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
          ...(await captureOutput(['design', 'check', file])),
          ...(await captureOutput(['design', 'check', file, '--json'])),
          ...(await captureOutput(['generate', file, '--out', join(torture.dir, 'out')])),
        ];
        return out.flatMap((each) => findUnsafeText(each) ?? []);
      });
      if (torture.isShort && count >= minimum) break;
    }
  }
  return count;
}

const IMPORT_FORMS: readonly ((text: string) => string)[] = [
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

async function tryFiles(torture: Torture, tally: Tally, minimum: number): Promise<number> {
  const dir = join(torture.dir, 'imported');
  mkdirSync(dir);
  const poisons = poisonText('w1');
  for (let count = 0; count < minimum; count += 1) {
    const text = poisons.next().value;
    const createText = IMPORT_FORMS[count % IMPORT_FORMS.length] ?? String;
    const file = join(dir, 'file');
    writeFileSync(file, createText(text));
    await tally.try(`file of form ${count % IMPORT_FORMS.length} with ${JSON.stringify(text)}`, async () => {
      return (await captureOutput(['design', 'import', file])).flatMap((each) => findUnsafeText(each) ?? []);
    });
  }
  return minimum;
}

const READ_COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--json'],
  ['csr', 'list'],
  ['csr', 'list', '--json'],
  ['infra', 'plan'],
  ['infra', 'plan', '--json'],
  ['infra', 'verify'],
];

/** Adds hostile text to texts in API responses, and answers refusals with it. */
async function tryApi(torture: Torture, tally: Tally, minimum: number): Promise<number> {
  const cluster = await startSimulatedCluster();
  const poisons = poisonText('text');
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
      poisonResponse(response, (text) => {
        if (torture.random() < 0.6) return text;
        count += 1;
        return text + poisons.next().value;
      });
      return false;
    };
    for (let round = 0; count < minimum; round += 1) {
      const argv = READ_COMMANDS[round % READ_COMMANDS.length] ?? [];
      isRefusing = round % 10 === 9;
      await tally.try(`API, ${argv.join(' ')}`, async () => {
        return (await captureOutput([...argv, ...resolveFileOptions(cluster)])).flatMap(
          (text) => findUnsafeText(text) ?? [],
        );
      });
    }
  } finally {
    await cluster.close();
  }
  return count;
}

/** Returns the options for design and kubeconfig, with absolute paths. */
function resolveFileOptions({ cwd, fileOptions: files }: SimulatedCluster): readonly string[] {
  return files.map((word) => (word === 'design.yaml' ? join(cwd, word) : word));
}

async function tryLog(torture: Torture, tally: Tally, minimum: number): Promise<number> {
  const file = join(torture.dir, 'install.log');
  const poisons = poisonText('waiting');
  const forms: readonly ((text: string) => string)[] = [
    (text) => `time="2026-01-02T03:04:05Z" level=info msg=${JSON.stringify(text)}`,
    (text) => `level=error msg=${text}`,
    (text) => `INFO ${text}`,
    (text) => `W1121 04:08:11.123456   12 reflector.go:561] ${text}`,
    (text) => text,
  ];
  const log = createLogFollower(file);
  for (let count = 0; count < minimum; count += 1) {
    const text = poisons.next().value;
    await tally.try(`log line with ${JSON.stringify(text)}`, async () => {
      appendFileSync(file, `${(forms[count % forms.length] ?? String)(text)}\n`);
      // A newline in a log ends its line, and a message may have several.
      const lines = await log.next();
      return lines.flatMap((line) => findUnsafeText(line.text.replaceAll(/^INJECTED/gm, '')) ?? []);
    });
  }
  return minimum;
}

async function tryRequests(tally: Tally, minimum: number): Promise<number> {
  const cluster = await startSimulatedCluster();
  const poisons = poisonText('w1.ocp45.example.localdomain');
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
    while (count < minimum) {
      objects = Array.from({ length: 25 }, (_, index) => {
        const text = poisons.next().value;
        count += 1;
        const subject = [
          organization(index % 3 === 0 ? text : 'system:nodes'),
          commonName(index % 3 === 1 ? text : 'system:node:w1'),
        ];
        const object =
          index % 2 === 0
            ? createClientObject({ subject })
            : createServingObject({ subject, sans: [san.dns(text), san.email(text), san.uri(text)] });
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
          return (await captureOutput(['csr', ...argv, ...resolveFileOptions(cluster)])).flatMap(
            (text) => findUnsafeText(text) ?? [],
          );
        });
      }
    }
  } finally {
    await cluster.close();
  }
  return count;
}
