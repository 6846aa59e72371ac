import { readFile } from 'node:fs/promises';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { Secret } from '../../platform/secrets.ts';
import type { Page, StepContext } from '../contract.ts';
import { readSnapshot } from './cluster-access.ts';
import { workspace } from './workspace.ts';

/**
 * Builds the page about logging in to the console, with the current password of kubeadmin from its file; the page says
 * so if there is none.
 */
export async function buildPasswordPage(context: StepContext): Promise<Page> {
  const {
    title,
    console: consoleLine,
    consoleUnknown,
    user,
    label,
    hideHint,
    missing,
  } = catalogue().operatorPages.password;
  const path = workspace(context.dir).kubeadminPassword;
  const text = sanitizeLine((await readFile(path, 'utf8').catch(() => '')).trim(), 200);
  if (text === '') return { title, lines: [missing(path)] };
  const snapshot = await readSnapshot(context, ['consoleHost']);
  const url = snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : consoleUnknown;
  return {
    title,
    lines: [consoleLine(url), user],
    secret: { label, value: new Secret(text) },
    linesBelow: [hideHint, path],
  };
}
