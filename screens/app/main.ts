import { formatCommandLine } from '../../src/i18n/catalogue.ts';
import { detectCapabilities } from '../../src/terminal/capabilities.ts';
import { createWindowTitle } from '../../src/terminal/control-strings.ts';
import { installLifecycle } from '../../src/terminal/lifecycle.ts';
import { createMeasuredStyle } from '../../src/terminal/measured-style.ts';
import { getOutputSize, takeTerminal } from '../../src/terminal/take-terminal.ts';
import { formatRows, LINK_END } from '../../src/ui/segment-style.ts';
import type { FrontEndOpener } from '../../src/wizard/front-end.ts';
import type { OpenedTerminal } from './mount.tsx';
import { startupRows } from './startup-frame.ts';

/** Takes over the terminal and shows the first frame, before Ink and the modules of the wizard are loaded. */
export const openScreens: FrontEndOpener = async (startup) => {
  const capabilities = detectCapabilities(process.env, process.stdin, process.stdout);
  const measuredStyle = createMeasuredStyle(capabilities);
  const abortController = new AbortController();
  const currentWizard: OpenedTerminal['currentWizard'] = { options: null, save: () => {} };
  const title = createWindowTitle(process.env.TERM ?? '', (sequence) => process.stdout.write(sequence));
  const lifecycle = installLifecycle({
    save: () => currentWizard.save(),
    abortController,
    get resumeCommand() {
      return currentWizard.options?.resumeCommand ?? formatCommandLine();
    },
    get logPath() {
      return currentWizard.options?.logPath ?? null;
    },
    log: (error) => currentWizard.options?.log(error),
    describeExit: () => currentWizard.options?.describeExit() ?? [],
    restoreSequences: () => `${capabilities.hasLinks ? LINK_END : ''}${title.createRestoreSequence()}`,
  });
  const terminal = takeTerminal(() => measuredStyle.get().hasUnicode);
  const style = { ...measuredStyle.get(), ...getOutputSize() };
  const lines = formatRows(startupRows(startup, style), style);
  // From here on, the terminal is restored however the program ends.
  lifecycle.attach({ unmount: () => {} });
  if (lines !== null) terminal.show(lines);
  try {
    const { mountScreens } = await withoutFetch(() => import('./mount.tsx'));
    return mountScreens({ startup, terminal, lifecycle, abortController, title, measuredStyle, currentWizard });
  } catch (error) {
    lifecycle.end({ kind: 'crash', error }, 1);
    throw error;
  }
};

/**
 * Loads a module while there is no global `fetch`. Ink's layout engine embeds its WebAssembly as text. With `fetch` it
 * would load Node.js's whole HTTP client to read the text; without, it decodes the text on its own.
 */
async function withoutFetch<Module>(load: () => Promise<Module>): Promise<Module> {
  const { fetch } = globalThis;
  Reflect.set(globalThis, 'fetch', undefined);
  try {
    return await load();
  } finally {
    globalThis.fetch = fetch;
  }
}
