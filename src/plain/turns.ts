import { isReason } from '../diagnosis/prepare/gate.ts';
import { catalogue } from '../text/catalogue.ts';
import { LETTERS } from '../text/letters.ts';
import { graphemesOf } from '../text/width.ts';
import { saysYes } from '../text/yes.ts';
import { toldOffer } from '../wizard/design/following.ts';
import type { Intent } from '../wizard/intents.ts';
import { openQuestion, type Question, type StepRun } from '../wizard/live/step-run.ts';
import { matching, placesOf } from '../wizard/overlays/palette.ts';
import { isStep, type WizardState } from '../wizard/state.ts';
import type { KeyEvent } from '../wizard/typing/key-event.ts';
import type { PlainFace } from './face.ts';
import { fieldTurn } from './field-turn.ts';
import { menuOf } from './menu.ts';
import type { Answer, Item, Turn } from './turn.ts';

const words = () => catalogue().plain;

/** What to ask a person in this state. */
export function turnOf(state: WizardState, face: PlainFace): Turn {
  if (state.overlay !== null) return overlayTurn(state, face);
  if (isStep(state.screen)) return stepTurn(state, state.runs[state.screen], face);
  return fieldTurn(state) ?? menu(state, face);
}

/** What can be done while something runs: opened by Enter. */
export function waitingMenu(state: WizardState, face: PlainFace): Turn {
  const { title, items } = menu(state, face);
  const goOn: Item = { label: words().menu.wait, letter: null, act: { kind: 'nothing' } };
  const stop = isStep(state.screen) && canStop(state.runs[state.screen]) ? [stopItem()] : [];
  return { kind: 'menu', title, items: [goOn, ...stop, ...items.filter(({ act }) => !isStop(act))] };
}

const canStop = (run: StepRun) => run.phase === 'applying' && !run.isStopping;
const stopItem = (): Item => ({ label: words().menu.stop, letter: null, act: { kind: 'do', intents: [STOP] } });
const STOP: Intent = { type: 'step/cancel' };
const isStop = (act: Item['act']) => act.kind === 'do' && act.intents[0]?.type === STOP.type;

function menu(state: WizardState, face: PlainFace): Extract<Turn, { kind: 'menu' }> {
  // Where Enter does nothing now, the screens say why.
  const [first] = face.choices(state);
  return { kind: 'menu', title: first?.disabled === undefined ? [] : [first.disabled], items: menuOf(state, face) };
}

function stepTurn(state: WizardState, run: StepRun, face: PlainFace): Turn {
  switch (run.phase) {
    case 'asking':
      return questionTurn(state, run.question, face);
    case 'unknown':
    case 'looking':
      return { kind: 'wait', said: null };
    case 'watching':
    case 'applying':
      return { kind: 'wait', said: words().waiting };
    case 'failed':
      // A look is repeated by itself.
      return run.failure.during === 'look' ? { kind: 'wait', said: words().waiting } : menu(state, face);
    case 'ready':
    case 'done':
      return menu(state, face);
  }
}

function questionTurn(state: WizardState, question: Question, face: PlainFace): Turn {
  const no: Answer = { intents: [{ type: 'step/answer', isYes: false }] };
  const yes: Intent = { type: 'step/answer', isYes: true };
  const { action, typed, brief } = question;
  if (brief === 'reading') return { kind: 'wait', said: null };
  const instead = (text: string) => brief?.instead.find(({ key }) => LETTERS[key].toLowerCase() === text);
  return {
    kind: 'text',
    id: `question ${state.screen} ${question.action} ${question.subject ?? ''}`,
    intro: ['', ...face.text(state), ...(brief?.instead ?? []).map(({ key, label }) => `${LETTERS[key]}  ${label}`)],
    prompt: promptOf(typed),
    accept(line) {
      const text = line.trim().toLowerCase();
      const other = instead(text);
      if (other) return { intents: [{ type: 'step/ask', action, subject: other.subject }] };
      if (typed === null) return saysYes(text) ? { intents: [yes] } : no;
      if (typed.words.length === 0) {
        if (text === '') return no;
        const event: KeyEvent = { kind: 'paste', text: line.trim() };
        const isEnough = isReason(line.trim());
        return isEnough ? { intents: [{ type: 'step/type', event }, yes] } : { say: [words().noReason] };
      }
      if (!typed.words.some((word) => word.toLowerCase() === text)) return no;
      const type = (letter: string): Intent => ({ type: 'step/type', event: { kind: 'char', text: letter } });
      return { intents: [...graphemesOf(text).map(type), yes] };
    },
  };
}

function promptOf(typed: Question['typed']): string {
  if (typed === null) return words().confirm;
  const [word] = typed.words;
  return word === undefined ? words().typeReason : words().typeWord(word);
}

function overlayTurn(state: WizardState, face: PlainFace): Turn {
  const { overlay } = state;
  if (overlay?.kind === 'page') {
    return overlay.shown === null ? { kind: 'wait', said: null } : { ...menu(state, face), title: face.text(state) };
  }
  if (overlay?.kind === 'follow') return followTurn(state, overlay);
  if (overlay?.kind === 'install') return installTurn(overlay, face.text(state));
  if (overlay?.kind !== 'import') return { ...menu(state, face), title: face.text(state) };
  const { importing } = overlay;
  switch (importing.phase) {
    case 'reading':
      return { kind: 'wait', said: null };
    case 'offered':
      return { ...menu(state, face), title: face.text(state) };
    case 'file':
      return {
        kind: 'text',
        id: `import ${importing.refusal ?? ''}`,
        intro: ['', ...face.text(state)],
        prompt: words().importFile,
        accept: (line) =>
          line.trim() === '' || line.trim() === words().signs.back
            ? { intents: [{ type: 'import/close' }] }
            : {
                intents: [
                  { type: 'import/edit', event: { kind: 'key', name: 'ctrl-u' } },
                  { type: 'import/edit', event: { kind: 'paste', text: line.trim() } },
                  { type: 'import/enter' },
                ],
              },
      };
    case 'lines':
      return {
        kind: 'text',
        id: `lines ${importing.refusal ?? ''}`,
        intro: [
          '',
          catalogue().imports.screen.lines,
          ...(importing.refusal === null ? [] : [importing.refusal]),
          words().importLines,
        ],
        prompt: '',
        accept(line) {
          if (line.trim() === '.') return { intents: [{ type: 'import/finish' }] };
          return { intents: [{ type: 'import/edit', event: { kind: 'paste', text: `${line}\n` } }] };
        },
      };
  }
}

/** Where to install for real what was rehearsed; an empty line takes the proposed directory. */
function installTurn(
  { editor, refusal }: Extract<WizardState['overlay'], { kind: 'install' }>,
  intro: readonly string[],
): Turn {
  return {
    kind: 'text',
    id: `install ${refusal ?? ''}`,
    intro: ['', ...intro],
    prompt: words().ask(catalogue().rehearsal.install.directory, editor.text, false),
    accept(line) {
      const text = line.trim();
      if (text === words().signs.back) return { intents: [{ type: 'overlay/close' }] };
      const typed = (event: KeyEvent): Intent => ({ type: 'install/edit', event });
      const other =
        text === ''
          ? []
          : [
              typed({ kind: 'key', name: 'ctrl-e' }),
              typed({ kind: 'key', name: 'ctrl-u' }),
              typed({ kind: 'paste', text }),
            ];
      return { intents: [...other, { type: 'install/enter' }] };
    },
  };
}

/** `go networks`: to a page, step, question or node by a part of its name, as the screens do it; null for another line. */
export function goneTo(state: WizardState, line: string): Answer | null {
  const name = words().goTo.exec(line.trim())?.[1];
  if (name === undefined || isAsking(state) || state.overlay?.kind === 'import') return null;
  const [goal] = matching(placesOf(state), name);
  if (goal === undefined) return { say: [words().goNowhere(name)] };
  if (goal.whyNot !== undefined) return { say: [words().goNotYet(goal.label, goal.whyNot)] };
  return { intents: [{ type: 'palette/take', intent: goal.intent }] };
}

/** The offer to change the answers that follow from one. */
function followTurn({ document }: WizardState, { change }: Extract<WizardState['overlay'], { kind: 'follow' }>): Turn {
  const { question, lines } = toldOffer(document, change);
  return {
    kind: 'text',
    id: `follow ${question}`,
    intro: ['', question, catalogue().following.why, ...lines.map((line) => `  ${line}`)],
    prompt: words().followers,
    accept: (line) => ({
      intents: [{ type: line.trim() === '' || saysYes(line) ? 'follow/accept' : 'follow/decline' }],
    }),
  };
}

/** Whether the question of a step is open. */
export function isAsking(state: WizardState): boolean {
  return isStep(state.screen) && openQuestion(state.runs[state.screen]) !== null;
}
