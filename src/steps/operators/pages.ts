import { chmod, writeFile } from 'node:fs/promises';
import { catalogue } from '../../i18n/catalogue.ts';
import { listLatestEvents } from '../../kube/api.ts';
import { readRouterAuthority } from '../../kube/kubeconfig.ts';
import type { Page, StepContext } from '../contract.ts';
import { openCluster, readSnapshot } from '../shared/cluster-access.ts';
import { buildPasswordPage } from '../shared/password-page.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().operatorPages;

const MAX_EVENTS = 60;

/** Builds a page on request: `events/OPERATOR`, `authority` (saved as well), `password`. */
export async function buildOperatorPage(context: StepContext, subject: string): Promise<Page> {
  if (subject === 'password') return await buildPasswordPage(context);
  if (subject === 'authority') return await buildAuthorityPage(context);
  return await buildEventsPage(context, subject.replace(/^events\//, ''));
}

async function buildEventsPage(context: StepContext, name: string): Promise<Page> {
  const title = words().events.title(name);
  const [cluster, snapshot] = await Promise.all([openCluster(context), readSnapshot(context, ['operators'])]);
  if (cluster === null) return { title, lines: [words().noCluster] };
  const namespaces = snapshot?.operators?.find((operator) => operator.name === name)?.namespaces ?? [];
  if (namespaces.length === 0) return { title, lines: [snapshot?.api.line ?? words().events.noNamespaces] };
  const events = await listLatestEvents(cluster, namespaces, MAX_EVENTS);
  const now = context.clock.now();
  const lines = events.flatMap(({ at, type, reason, object, count, message }) => [
    words().events.line(at === null ? '' : catalogue().screens.age(Math.max(0, now - at)), type, reason, object, count),
    ...message.split('\n').map((part) => `    ${part}`),
  ]);
  const subtitle = words().events.scope(namespaces.join(', '));
  return { title, lines: events.length === 0 ? [subtitle, '', words().events.none] : [subtitle, '', ...lines] };
}

/** Saves the authority readable for all: it is public, and you copy it to the machines where browsers run. */
async function buildAuthorityPage(context: StepContext): Promise<Page> {
  const { title, notYet, saved, certificate, fingerprint, count, copy, how } = words().authority;
  const cluster = await openCluster(context);
  const authority = cluster && (await readRouterAuthority(cluster));
  if (!authority) return { title, lines: [cluster ? notYet : words().noCluster] };
  const path = workspace(context.dir).consoleAuthority;
  await writeFile(path, authority.pem);
  // Independent of the umask, and of the mode of an earlier file.
  await chmod(path, 0o644);
  return {
    title,
    lines: [
      saved(path),
      ...authority.certificates.flatMap((each) => [
        `  ${certificate(each.subject, new Date(each.notAfter).toISOString().slice(0, 10))}`,
        `  ${fingerprint(each.fingerprint)}`,
      ]),
      '',
      count(authority.certificates.length),
      `  ${copy(path)}`,
      ...how.map((line) => `- ${line}`),
    ],
  };
}
