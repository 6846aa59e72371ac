import type { Problem } from '../design/model.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Secret } from '../text/secret.ts';
import { asTrouble } from '../text/trouble.ts';
import type { Effect, Event } from './intents.ts';
import type { ImportOffer } from './overlays/overlay.ts';
import type { WizardState } from './state.ts';

/** The services for what a person hands over in files, and is handed. */
export interface FileServices {
  /** Reads the credential files and says what is wrong with them, without revealing their content. */
  readonly judgeCredentials: (state: WizardState) => Promise<readonly Problem[]>;
  /** Makes an SSH key where the design names one; returns the file of its public half. */
  readonly makeSshKey: (state: WizardState) => Promise<string>;
  /** Writes a pasted credential into a file; returns its path as the design names it. */
  readonly keepPasted: (state: WizardState, what: 'pull-secret' | 'ssh-key', text: Secret) => Promise<string>;
  /** Reads a file that a person named; returns what it would bring, or in one sentence why it cannot. */
  readonly readImport: (path: string) => Promise<ImportOffer | string>;
  /** Writes the secrets of an imported file beside the design; says in one sentence what it did. */
  readonly keepImported: (path: string) => Promise<string>;
  /** Writes the commands of a page into a script in the install directory; returns its path. */
  readonly writeCommands: (lines: readonly string[]) => Promise<string>;
}

/**
 * The effects on files that a person names, pastes or is given: credentials, imports, commands.
 * @param state the wizard's; undefined once nobody listens
 */
export function createFileEffects({
  services,
  state,
  tell,
}: {
  readonly services: FileServices;
  readonly state: () => WizardState | undefined;
  readonly tell: (event: Event) => void;
}) {
  async function judgeCredentials(): Promise<void> {
    const current = state();
    if (!current) return;
    const problems = await services.judgeCredentials(current).catch(() => []);
    tell({ type: 'credentials/judged', problems });
  }

  async function makeSshKey(): Promise<void> {
    const current = state();
    if (!current) return;
    try {
      tell({ type: 'credentials/key-made', file: await services.makeSshKey(current) });
    } catch (error) {
      const { title, cause, whatToDo } = asTrouble(error);
      tell({ type: 'notice/shown', notice: { kind: 'error', text: `${title}: ${cause} ${whatToDo}` } });
    }
  }

  async function keepPasted({ what, text }: Extract<Effect, { type: 'keep-pasted' }>): Promise<void> {
    const current = state();
    if (!current) return;
    try {
      tell({ type: 'credentials/kept', what, file: await services.keepPasted(current, what, text) });
    } catch (error) {
      const { title, cause, whatToDo } = asTrouble(error);
      tell({ type: 'notice/shown', notice: { kind: 'error', text: `${title}: ${cause} ${whatToDo}` } });
    }
  }

  async function offerImport(path: string): Promise<void> {
    const read = await services.readImport(path).catch((error: unknown) => asTrouble(error).cause);
    tell(typeof read === 'string' ? { type: 'import/refused', said: read } : { type: 'import/offered', offer: read });
  }

  async function keepImported(path: string): Promise<void> {
    try {
      tell({ type: 'notice/shown', notice: { kind: 'info', text: await services.keepImported(path) } });
    } catch (error) {
      const { cause, whatToDo } = asTrouble(error);
      tell({ type: 'notice/shown', notice: { kind: 'error', text: `${cause} ${whatToDo}` } });
    }
    await judgeCredentials();
  }

  async function writeCommands(lines: readonly string[]): Promise<void> {
    try {
      const text = catalogue().steps.commandsScript.written(await services.writeCommands(lines));
      tell({ type: 'notice/shown', notice: { kind: 'info', text } });
    } catch (error) {
      const { title, cause, whatToDo } = asTrouble(error);
      tell({ type: 'notice/shown', notice: { kind: 'error', text: `${title}: ${cause} ${whatToDo}` } });
    }
  }

  return { judgeCredentials, makeSshKey, keepPasted, offerImport, keepImported, writeCommands };
}
