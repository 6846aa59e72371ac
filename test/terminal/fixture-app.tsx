// A small app with the real lifecycle, which the tests run on a pty. Its keys trigger the ways to end.
import { writeFileSync } from 'node:fs';
import { Text } from 'ink';
import { useEffect, useState } from 'react';
import { installLifecycle } from '../../src/terminal/lifecycle.ts';
import { type RunningApp, renderApp } from '../../src/terminal/render-app.tsx';
import { KeyDispatcher } from '../../src/ui/keys.tsx';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import '../support/language.ts';

const savePath = process.argv[2] ?? '';
const keys: string[] = [];

const lifecycle = installLifecycle({
  save: () => writeFileSync(savePath, JSON.stringify(keys)),
  abortController: new AbortController(),
  resumeCommand: 'upi-wizard --dir example',
  logPath: 'example/log',
  describeExit() {
    if (keys.includes('x')) throwError();
    return ['goodbye'];
  },
});

let wheel: (step: 'up' | 'down') => void = () => undefined;

function App() {
  const [count, setCount] = useState(0);
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) throw new Error('broken while drawing');
  const onKey = (event: KeyEvent) => {
    keys.push(event.kind === 'key' ? `<${event.name}>` : event.text);
    setCount(keys.length);
    if (event.kind === 'char' && event.text === 't') setIsBroken(true);
    if (event.kind === 'char' && event.text === 'r') void Promise.reject(new Error('broken promise'));
    if (event.kind === 'char' && event.text === 'n') void Promise.reject(AbortSignal.abort().reason);
    if (event.kind === 'char' && event.text === 'l') void leave();
    if (event.kind === 'char' && event.text === 'u') setImmediate(() => throwError());
    if (event.kind === 'key' && event.name === 'ctrl-c') lifecycle.end({ kind: 'quit' }, 130);
    if (event.kind === 'key' && event.name === 'ctrl-z') void app.stop();
  };
  wheel = (step) => onKey({ kind: 'key', name: `wheel-${step}` });
  return (
    <KeyDispatcher onKey={onKey}>
      <Text>{`keys ${count}: ${keys.join('')}`}</Text>
      <Ready />
    </KeyDispatcher>
  );
}

function Ready() {
  const [isReady, setIsReady] = useState(false);
  // Drawn once the effects that listen to the keyboard have run.
  useEffect(() => setIsReady(true), []);
  return <Text>{isReady ? ' ready' : ''}</Text>;
}

/** Releases the terminal as the wizard does, prints its last lines, and then fails. */
async function leave() {
  app.unmount();
  await app.exit;
  lifecycle.release();
  process.stderr.write('Everything is saved.\nContinue with: upi-wizard --dir a-long-directory-name\n');
  throwError();
}

function throwError(): never {
  throw new Error('thrown from nowhere');
}

const app: RunningApp = renderApp(<App />, { lifecycle, onWheel: (step) => wheel(step) });
