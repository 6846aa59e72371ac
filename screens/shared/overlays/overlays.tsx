import type { ReactNode } from 'react';
import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import { Confirm, HelpOverlay } from '../../../src/ui/components/notices.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { FILLS } from '../../../src/wizard/design/node-table.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/typing/key-event.ts';
import { jumpBy, overlayQuit, pageTurning } from '../bindings.ts';
import { railOf } from '../rail.ts';
import { FillOverlay, fillBindings } from './fill-overlay.tsx';
import { FollowOverlay, followBindings } from './follow-overlay.tsx';
import { ImportOverlay, importBindings, importText } from './import-overlay.tsx';
import { InstallOverlay, installBindings } from './install-overlay.tsx';
import { PageOverlay, pageBindings } from './page-overlay.tsx';
import { PaletteOverlay, paletteBindings, railBindings } from './palette-overlay.tsx';

/** The screen that an overlay lies over: its help and the keys that work on it. */
export interface Below {
  readonly help: () => readonly string[];
  readonly bindings: () => readonly Binding<Intent>[];
  /** The terms of the field on it, after everything else. */
  readonly terms: () => readonly string[];
  readonly draw: () => ReactNode;
}

type Open = NonNullable<Overlay>;

/** What lies over the screen, in place of its body. */
export function drawOverlay(state: WizardState, overlay: Open, below: Below, resumeCommand: string): ReactNode {
  switch (overlay.kind) {
    case 'help':
      return (
        <HelpOverlay
          title={catalogue().screens.rail[state.screen]}
          paragraphs={below.help()}
          bindings={below.bindings()}
          after={below.terms()}
          top={overlay.top}
          own={overlayBindings(state, overlay, below)}
        />
      );
    case 'quit':
      return (
        <Confirm
          question={catalogue().screens.quit.question}
          details={[...catalogue().screens.quit.details, resumeCommand]}
        />
      );
    case 'unsaved':
      return (
        <Confirm
          question={catalogue().screens.unsaved.question}
          details={catalogue().screens.unsaved.details(state.saveTrouble?.cause ?? '')}
          yes={catalogue().screens.unsaved.yes}
          no={catalogue().screens.unsaved.no}
        />
      );
    case 'import':
      return <ImportOverlay state={state} importing={overlay.importing} />;
    case 'fill':
      return <FillOverlay state={state} filling={overlay} />;
    case 'follow':
      return <FollowOverlay state={state} offer={overlay} />;
    case 'install':
      return <InstallOverlay asking={overlay} />;
    case 'palette':
      return <PaletteOverlay state={state} open={overlay} commands={below.bindings()} />;
    case 'rail':
      return below.draw();
    case 'page':
      return <PageOverlay page={overlay} />;
  }
}

/** The keys of what lies over the screen. */
export function overlayBindings(state: WizardState, overlay: Open, below: Below): readonly Binding<Intent>[] {
  const { keys } = catalogue().screens;
  switch (overlay.kind) {
    case 'help':
      return [
        {
          keys: ['escape', 'enter', 'ctrl-g', LETTERS.help, LETTERS.close],
          label: keys.close,
          intent: { type: 'overlay/close' },
        },
        ...overlayQuit(),
        ...pageTurning(overlay.top, helpLength(below)),
      ];
    case 'quit':
      return [
        { keys: ['y', 'ctrl-c', 'ctrl-s'], label: keys.quit, intent: { type: 'session/quit' } },
        { keys: ['n', 'escape'], label: keys.stay, intent: { type: 'overlay/close' } },
      ];
    case 'unsaved':
      return [
        { keys: ['ctrl-s'], label: keys.quit, intent: { type: 'session/quit' } },
        { keys: ['y'], label: keys.abandon, intent: { type: 'session/abandon' } },
        { keys: ['n', 'escape'], label: keys.stay, intent: { type: 'overlay/close' } },
      ];
    case 'import':
      return importBindings(overlay.importing);
    case 'fill':
      return fillBindings(state, overlay);
    case 'follow':
      return followBindings(state, overlay);
    case 'install':
      return installBindings();
    case 'palette':
      return paletteBindings(state, overlay, below.bindings());
    case 'rail':
      return railBindings(state);
    case 'page':
      return pageBindings(overlay);
  }
}

/** The meaning of a key that is not bound there: text, where text is typed. */
export function overlayText(state: WizardState, overlay: Open, event: KeyEvent): Intent | null {
  switch (overlay.kind) {
    case 'import':
      return importText(overlay.importing, event);
    case 'install':
      return { type: 'install/edit', event };
    case 'palette':
      return { type: 'palette/edit', event };
    case 'page':
      return overlay.shown?.secret ? { type: 'overlay/close' } : null;
    case 'help':
    case 'quit':
    case 'unsaved':
    case 'follow':
      return null;
    case 'fill': {
      const labels = FILLS.map((fill) => catalogue().screens.nodes.fill.labels[fill]);
      return { type: 'node/fill-move', by: jumpBy(labels, overlay.choice, event) };
    }
    case 'rail': {
      const labels = railOf(state).map(({ label }) => label);
      return { type: 'rail/move', by: jumpBy(labels, overlay.row, event) };
    }
  }
}

/** About as many lines as the help page has; reading always reaches the last of them. */
function helpLength({ help, bindings, terms }: Below): number {
  const texts = [...help(), ...terms()];
  return texts.reduce((lines, text) => lines + Math.ceil(text.length / 40) + 1, bindings().length + 1);
}
