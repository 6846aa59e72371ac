import type { Problem } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError } from '../i18n/user-error.ts';
import type { Secret } from '../platform/secrets.ts';
import type { Effect, Event } from './intents.ts';
import type { ImportOffer } from './overlays/overlay.ts';
import type { WizardState } from './state.ts';

/** Formats an error as the line of a notice: its title, cause and remedy. */
export function formatErrorLine(error: unknown): string {
  const { title, cause, remedy } = toUserError(error);
  return catalogue().screens.step.errorLine(title, cause, remedy);
}

/** Services for the files that the user works with: credentials, imports, and scripts of commands. */
export interface FileServices {
  /** Reads the credential files and returns their problems, without revealing their content. */
  readonly checkCredentials: (state: WizardState) => Promise<readonly Problem[]>;
  /** Creates an SSH key where the design names one; returns the file of its public key. */
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
 * Creates the effects on credential files, imports and command scripts.
 * @param getState reads the wizard's state; undefined when no store is attached
 */
export function createFileEffects({
  services,
  getState,
  dispatch,
}: {
  readonly services: FileServices;
  readonly getState: () => WizardState | undefined;
  readonly dispatch: (event: Event) => void;
}) {
  const notifyError = (error: unknown) =>
    dispatch({ type: 'notice/shown', notice: { kind: 'error', text: formatErrorLine(error) } });

  async function reviewCredentials(): Promise<void> {
    const currentState = getState();
    if (!currentState) return;
    const problems = await services.checkCredentials(currentState).catch(() => []);
    dispatch({ type: 'credentials/reviewed', problems });
  }

  async function generateSshKey(): Promise<void> {
    const currentState = getState();
    if (!currentState) return;
    try {
      dispatch({ type: 'credentials/key-generated', file: await services.createSshKey(currentState) });
    } catch (error) {
      notifyError(error);
    }
  }

  async function savePastedCredential({ credential, text }: Extract<Effect, { type: 'save-pasted' }>): Promise<void> {
    const currentState = getState();
    if (!currentState) return;
    try {
      dispatch({
        type: 'credentials/saved',
        credential,
        file: await services.savePastedCredential(currentState, credential, text),
      });
    } catch (error) {
      notifyError(error);
    }
  }

  async function offerImport(path: string): Promise<void> {
    const result = await services.readImport(path).catch((error: unknown) => toUserError(error).cause);
    dispatch(
      typeof result === 'string'
        ? { type: 'import/refused', message: result }
        : { type: 'import/offered', offer: result },
    );
  }

  async function saveImportedSecrets(path: string): Promise<void> {
    try {
      dispatch({ type: 'notice/shown', notice: { kind: 'info', text: await services.saveImportedSecrets(path) } });
    } catch (error) {
      const { cause, remedy } = toUserError(error);
      dispatch({ type: 'notice/shown', notice: { kind: 'error', text: `${cause} ${remedy}` } });
    }
    await reviewCredentials();
  }

  async function writeCommands(lines: readonly string[]): Promise<void> {
    try {
      const text = catalogue().steps.commandsScript.written(await services.writeCommands(lines));
      dispatch({ type: 'notice/shown', notice: { kind: 'info', text } });
    } catch (error) {
      notifyError(error);
    }
  }

  return {
    reviewCredentials,
    generateSshKey,
    savePastedCredential,
    offerImport,
    saveImportedSecrets,
    writeCommands,
  };
}
