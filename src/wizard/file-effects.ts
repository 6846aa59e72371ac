import type { Problem } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError } from '../i18n/user-error.ts';
import type { Secret } from '../platform/secret.ts';
import type { Effect, Event } from './intents.ts';
import type { ImportOffer } from './overlays/overlay.ts';
import type { WizardState } from './state.ts';

/** The services for files that the user names, pastes or gets. */
export interface FileServices {
  /** Reads the credential files and returns their problems, without revealing their content. */
  readonly checkCredentials: (state: WizardState) => Promise<readonly Problem[]>;
  /** Creates an SSH key where the design names one; returns the file of its public half. */
  readonly createSshKey: (state: WizardState) => Promise<string>;
  /** Writes a pasted credential into a file; returns its path as the design names it. */
  readonly savePastedCredential: (
    state: WizardState,
    credential: 'pull-secret' | 'ssh-key',
    text: Secret,
  ) => Promise<string>;
  /**
   * Reads a file that the user named; returns its content as an offer, or one sentence with the reason of the failure.
   */
  readonly readImport: (path: string) => Promise<ImportOffer | string>;
  /** Writes the secrets of an imported file beside the design; returns one sentence about the result. */
  readonly saveImportedSecrets: (path: string) => Promise<string>;
  /** Writes the commands of a page into a script in the install directory; returns its path. */
  readonly writeCommands: (lines: readonly string[]) => Promise<string>;
}

/**
 * Effects on files that the user names, pastes or gets: credentials, imports, commands.
 * @param state reads the wizard's state; undefined when no store is attached
 */
export function createFileEffects({
  services,
  state,
  dispatch: emit,
}: {
  readonly services: FileServices;
  readonly state: () => WizardState | undefined;
  readonly dispatch: (event: Event) => void;
}) {
  async function reviewCredentials(): Promise<void> {
    const current = state();
    if (!current) return;
    const problems = await services.checkCredentials(current).catch(() => []);
    emit({ type: 'credentials/judged', problems });
  }

  async function makeSshKey(): Promise<void> {
    const current = state();
    if (!current) return;
    try {
      emit({ type: 'credentials/key-made', file: await services.createSshKey(current) });
    } catch (error) {
      const { title, cause, remedy } = toUserError(error);
      emit({ type: 'notice/shown', notice: { kind: 'error', text: `${title}: ${cause} ${remedy}` } });
    }
  }

  async function keepPasted({ what, text }: Extract<Effect, { type: 'keep-pasted' }>): Promise<void> {
    const current = state();
    if (!current) return;
    try {
      emit({ type: 'credentials/kept', what, file: await services.savePastedCredential(current, what, text) });
    } catch (error) {
      const { title, cause, remedy } = toUserError(error);
      emit({ type: 'notice/shown', notice: { kind: 'error', text: `${title}: ${cause} ${remedy}` } });
    }
  }

  async function offerImport(path: string): Promise<void> {
    const result = await services.readImport(path).catch((error: unknown) => toUserError(error).cause);
    emit(
      typeof result === 'string'
        ? { type: 'import/refused', message: result }
        : { type: 'import/offered', offer: result },
    );
  }

  async function keepImported(path: string): Promise<void> {
    try {
      emit({ type: 'notice/shown', notice: { kind: 'info', text: await services.saveImportedSecrets(path) } });
    } catch (error) {
      const { cause, remedy } = toUserError(error);
      emit({ type: 'notice/shown', notice: { kind: 'error', text: `${cause} ${remedy}` } });
    }
    await reviewCredentials();
  }

  async function writeCommands(lines: readonly string[]): Promise<void> {
    try {
      const text = catalogue().steps.commandsScript.written(await services.writeCommands(lines));
      emit({ type: 'notice/shown', notice: { kind: 'info', text } });
    } catch (error) {
      const { title, cause, remedy } = toUserError(error);
      emit({ type: 'notice/shown', notice: { kind: 'error', text: `${title}: ${cause} ${remedy}` } });
    }
  }

  return { judgeCredentials: reviewCredentials, makeSshKey, keepPasted, offerImport, keepImported, writeCommands };
}
