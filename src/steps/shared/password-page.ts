import { readFile } from 'node:fs/promises';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { Secret } from '../../text/secret.ts';
import type { Page, StepContext } from '../contract.ts';
import { look } from './access.ts';
import { workspace } from './workspace.ts';

/** How to log in to the console, with the password of kubeadmin as its file has it now; says so where there is none. */
export async function passwordPage(context: StepContext): Promise<Page> {
  const {
    title,
    console: consoleLine,
    consoleUnknown,
    user,
    label,
    hides,
    missing,
  } = catalogue().operatorPages.password;
  const path = workspace(context.dir).kubeadminPassword;
  const text = sanitizeLine((await readFile(path, 'utf8').catch(() => '')).trim(), 200);
  if (text === '') return { title, lines: [missing(path)] };
  const snapshot = await look(context, ['consoleHost']);
  const url = snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : consoleUnknown;
  return { title, lines: [consoleLine(url), user], secret: { label, value: new Secret(text) }, after: [hides, path] };
}
