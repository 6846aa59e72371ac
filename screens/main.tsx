import { capabilitiesOf } from '../src/terminal/capabilities.ts';
import { installLifecycle } from '../src/terminal/lifecycle.ts';
import { renderApp } from '../src/terminal/render-app.tsx';
import { createEffects, type EffectServices } from '../src/wizard/effects.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { Leaving, WizardState } from '../src/wizard/state.ts';
import { createWizardStore } from '../src/wizard/store.ts';
import { App } from './app.tsx';

/** What the wizard is started with. */
export interface WizardOptions {
  readonly initial: WizardState;
  /** What is done before the first key: going to where the person left. */
  readonly start: readonly Intent[];
  readonly services: Omit<EffectServices, 'leave'>;
  readonly resumeCommand: string;
  readonly logPath: string | null;
  readonly log: (error: unknown) => void;
  /** Said after leaving. */
  readonly farewell: () => readonly string[];
  readonly isForScreenReader: boolean;
}

/** Runs the wizard on the whole terminal. Settles when the person leaves; a signal or a crash ends the process instead. */
export async function runWizard(options: WizardOptions): Promise<Leaving> {
  const { initial, start, services, resumeCommand, logPath, log, farewell, isForScreenReader } = options;
  const capabilities = capabilitiesOf(process.env, process.stdin, process.stdout);
  let end: (how: Leaving) => void = () => undefined;
  const ended = new Promise<Leaving>((resolve) => {
    end = resolve;
  });
  const abort = new AbortController();
  const effects = createEffects({ ...services, leave: (how) => end(how) });
  const store = createWizardStore(initial, effects.perform);
  effects.attach(store);
  for (const intent of start) store.dispatch(intent);
  abort.signal.addEventListener('abort', effects.stop);
  const save = () => services.save(store.getState());
  const lifecycle = installLifecycle({ save, abort, resumeCommand, logPath, log, farewell });
  const app = renderApp(
    <App
      store={store}
      look={capabilities}
      resumeCommand={resumeCommand}
      onRedraw={() => void app.redraw()}
      onStop={() => void app.stop()}
    />,
    { lifecycle, isForScreenReader },
  );
  const how = await ended;
  effects.stop();
  app.unmount();
  await app.done;
  return how;
}
