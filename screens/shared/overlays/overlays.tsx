import type { ReactNode } from 'react';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { Confirm, HelpOverlay } from '../../../src/ui/components/notices.tsx';
import type { Binding } from '../../../src/ui/keys.tsx';
import { FILL_KINDS } from '../../../src/wizard/design/node-table.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/typing.ts';

import { getJumpDistance, pageScrollBindings, quitBindings } from '../bindings.ts';
import { listSidebarItems } from '../sidebar.ts';
import { FillOverlay, fillBindings } from './fill-overlay.tsx';
import { FollowUpOverlay, followUpBindings } from './follow-up-overlay.tsx';
import { getImportIntent, ImportOverlay, importBindings } from './import-overlay.tsx';
import { InstallOverlay, installBindings } from './install-overlay.tsx';
import { PageOverlay, pageBindings } from './page-overlay.tsx';
import { PaletteOverlay, paletteBindings, sidebarBindings } from './palette-overlay.tsx';

/** The screen under an overlay: its help, and the keys that work on it. */
export interface UnderlyingScreen {
  readonly help: () => readonly string[];
  readonly bindings: () => readonly Binding<Intent>[];
  /** The glossary terms of the screen, shown after everything else. */
  readonly terms: () => readonly string[];
  readonly draw: () => ReactNode;
}

type OpenOverlay = NonNullable<Overlay>;

/** Draws an overlay in place of the screen's body. */
export function drawOverlay(
  state: WizardState,
  overlay: OpenOverlay,
  below: UnderlyingScreen,
  resumeCommand: string,
): ReactNode {
  switch (overlay.kind) {
    case 'help':
      return (
        <HelpOverlay
          title={catalogue().screens.sidebar[state.screen]}
          paragraphs={below.help()}
          bindings={below.bindings()}
          after={below.terms()}
          top={overlay.top}
          ownBindings={overlayBindings(state, overlay, below)}
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
          details={catalogue().screens.unsaved.details(state.saveError?.cause ?? '')}
          yes={catalogue().screens.unsaved.yes}
          no={catalogue().screens.unsaved.no}
        />
      );
    case 'import':
      return <ImportOverlay state={state} importing={overlay.importState} />;
    case 'fill':
      return <FillOverlay state={state} filling={overlay} />;
    case 'follow':
      return <FollowUpOverlay state={state} offer={overlay} />;
    case 'install':
      return <InstallOverlay prompt={overlay} />;
    case 'palette':
      return <PaletteOverlay state={state} open={overlay} commands={below.bindings()} />;
    case 'rail':
      return below.draw();
    case 'page':
      return <PageOverlay page={overlay} />;
  }
}

/** Returns the keys of an overlay. */
export function overlayBindings(
  state: WizardState,
  overlay: OpenOverlay,
  below: UnderlyingScreen,
): readonly Binding<Intent>[] {
  const { keys } = catalogue().screens;
  switch (overlay.kind) {
    case 'help':
      return [
        {
          keys: ['escape', 'enter', 'ctrl-g', SHORTCUTS.help, SHORTCUTS.close],
          label: keys.close,
          intent: { type: 'overlay/close' },
        },
        ...quitBindings(),
        ...pageScrollBindings(overlay.top, estimateHelpLines(below)),
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
      return importBindings(overlay.importState);
    case 'fill':
      return fillBindings(state, overlay);
    case 'follow':
      return followUpBindings(state, overlay);
    case 'install':
      return installBindings();
    case 'palette':
      return paletteBindings(state, overlay, below.bindings());
    case 'rail':
      return sidebarBindings(state);
    case 'page':
      return pageBindings(overlay);
  }
}

/** Returns the intent of a key that is not bound in the overlay: text, where it takes text. */
export function getOverlayIntent(state: WizardState, overlay: OpenOverlay, event: KeyEvent): Intent | null {
  switch (overlay.kind) {
    case 'import':
      return getImportIntent(overlay.importState, event);
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
      const labels = FILL_KINDS.map((fill) => catalogue().screens.nodes.fill.labels[fill]);
      return { type: 'node/fill-move', by: getJumpDistance(labels, overlay.choice, event) };
    }
    case 'rail': {
      const labels = listSidebarItems(state).map(({ label }) => label);
      return { type: 'rail/move', by: getJumpDistance(labels, overlay.row, event) };
    }
  }
}

/** Estimates the lines of the help page: enough for scrolling to reach the last one. */
function estimateHelpLines({ help, bindings, terms }: UnderlyingScreen): number {
  const texts = [...help(), ...terms()];
  return texts.reduce((lines, text) => lines + Math.ceil(text.length / 40) + 1, bindings().length + 1);
}
