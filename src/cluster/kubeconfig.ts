import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Clock } from '../ports/clock.ts';
import { cluster as words } from '../text/en/cluster.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';

const fileSchema = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string(), cluster: z.looseObject({ server: z.string() }) })),
  users: z.array(z.looseObject({ name: z.string(), user: z.looseObject({}) })),
  contexts: z.array(
    z.looseObject({ name: z.string(), context: z.looseObject({ cluster: z.string(), user: z.string() }) }),
  ),
  'current-context': z.string(),
});

/** A kubeconfig that may be used, and what its current context connects to. */
export interface Kubeconfig {
  /** The text of the file; holds a private key, so it goes nowhere but to the client. */
  readonly text: string;
  readonly server: URL;
  /** The name that the certificate must be for. */
  readonly tlsName: string;
}

const TRIES = 10;
const PAUSE = 500;

/**
 * Reads and judges a kubeconfig. `openshift-install wait-for` rewrites the file in place, so one that does not parse is
 * read again for a few seconds before it counts as broken.
 * @throws TroubleError `kubeconfig-…`
 */
export async function readKubeconfig(path: string, clock: Clock): Promise<Kubeconfig> {
  for (let attempt = 1; ; attempt += 1) {
    const text = await readText(path);
    const parsed = fileSchema.safeParse(parseYaml(text));
    if (parsed.success) return judge(text, parsed.data);
    if (attempt === TRIES) throw trouble('broken', words.kubeconfig.notYaml(path));
    await clock.sleep(PAUSE);
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT') throw trouble('missing', words.kubeconfig.missing(path));
    throw trouble('unreadable', words.kubeconfig.unreadable(path, code));
  }
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0, logLevel: 'silent' });
  } catch {
    return null;
  }
}

function judge(text: string, file: z.infer<typeof fileSchema>): Kubeconfig {
  const context = file.contexts.find(({ name }) => name === file['current-context'])?.context;
  const cluster = file.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = file.users.find(({ name }) => name === context?.user)?.user;
  if (!cluster || !user) throw trouble('incomplete', words.kubeconfig.incomplete('current-context'));
  if ('exec' in user || 'auth-provider' in user) throw trouble('runs-programs', words.kubeconfig.runsPrograms);
  if (cluster['insecure-skip-tls-verify']) throw trouble('insecure', words.kubeconfig.insecure);
  if (cluster['proxy-url']) throw trouble('proxied', words.kubeconfig.proxied);
  const server = URL.canParse(cluster.server) ? new URL(cluster.server) : null;
  if (server?.protocol !== 'https:')
    throw trouble('not-https', words.kubeconfig.notHttps(sanitizeLine(cluster.server)));
  const override = cluster['tls-server-name'];
  return { text, server, tlsName: typeof override === 'string' && override ? override : bare(server.hostname) };
}

/** A host without the brackets that an IPv6 address wears in a URL. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function trouble(code: string, cause: string): TroubleError {
  return new TroubleError({
    code: `kubeconfig-${code}`,
    title: words.kubeconfig.title,
    cause,
    whatToDo: words.kubeconfig.whatToDo,
  });
}
