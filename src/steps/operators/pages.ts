import { chmod, writeFile } from 'node:fs/promises';
import { latestEvents } from '../../cluster/namespaces.ts';
import { readRouterAuthority } from '../../cluster/router-authority.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Page, StepContext } from '../contract.ts';
import { look, openCluster } from '../shared/access.ts';
import { passwordPage } from '../shared/password-page.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().operatorPages;

const MOST_EVENTS = 60;

/** A page that a person asked for: `events/OPERATOR`, `authority` (saved as well), `password`. */
export async function operatorPage(context: StepContext, subject: string): Promise<Page> {
  if (subject === 'password') return await passwordPage(context);
  if (subject === 'authority') return await authorityPage(context);
  return await eventsPage(context, subject.replace(/^events\//, ''));
}

async function eventsPage(context: StepContext, name: string): Promise<Page> {
  const title = words().events.title(name);
  const [cluster, snapshot] = await Promise.all([openCluster(context), look(context, ['operators'])]);
  if (cluster === null) return { title, lines: [words().noCluster] };
  const namespaces = snapshot?.operators?.find((operator) => operator.name === name)?.namespaces ?? [];
  if (namespaces.length === 0) return { title, lines: [snapshot?.api.line ?? words().events.noNamespaces] };
  const events = await latestEvents(cluster, namespaces, MOST_EVENTS);
  const now = context.clock.now();
  const lines = events.flatMap(({ at, type, reason, object, count, message }) => [
    words().events.line(at === null ? '' : catalogue().screens.age(Math.max(0, now - at)), type, reason, object, count),
    ...message.split('\n').map((part) => `    ${part}`),
  ]);
  const of = words().events.of(namespaces.join(', '));
  return { title, lines: events.length === 0 ? [of, '', words().events.none] : [of, '', ...lines] };
}

/** Saves the authority for all to read: it is public, and goes to the machines where browsers run. */
async function authorityPage(context: StepContext): Promise<Page> {
  const { title, notYet, saved, certificate, fingerprint, count, copy, how } = words().authority;
  const cluster = await openCluster(context);
  const authority = cluster && (await readRouterAuthority(cluster));
  if (!authority) return { title, lines: [cluster ? notYet : words().noCluster] };
  const path = workspace(context.dir).consoleAuthority;
  await writeFile(path, authority.pem);
  // Whatever the umask, and whoever wrote it before.
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
