import { catalogue } from '../../src/text/catalogue.ts';
import { Gap, Label, Row } from '../../src/ui/components/label.tsx';
import { Notice } from '../../src/ui/components/notices.tsx';
import { Spinner } from '../../src/ui/components/progress.tsx';
import { Select, type SelectItem } from '../../src/ui/components/select.tsx';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import { getAt } from '../../src/wizard/document.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { type Notice as NoticeText, SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import { commonBindings } from './bindings.ts';
import { Paragraph } from './text.tsx';

const words = () => catalogue().screens.welcome;

/** The part of the state that the welcome shows. */
export type WelcomeFacts = Pick<WizardState, 'welcome' | 'document' | 'reached'>;

interface Choice extends SelectItem {
  readonly intent: Intent;
}

const restart = (): Choice => ({
  value: 'restart',
  label: words().restart,
  hint: words().restartHint,
  intent: { type: 'screen/go', screen: 'cluster' },
});

/** What a person can begin here: resume first, then new, then the rehearsal. */
function choicesOf(state: WelcomeFacts): Choice[] {
  const { isResumed, rehearsal } = state.welcome;
  // A session left on the welcome goes on at the first page.
  const at = SCREEN_IDS[Math.max(state.reached, 1)] ?? 'cluster';
  const cluster = `${String(getAt(state.document, 'cluster.name') ?? '')}.${String(getAt(state.document, 'cluster.baseDomain') ?? '')}`;
  const first: Choice[] =
    isResumed || state.reached > 0
      ? [
          {
            value: 'resume',
            label: words().resume(catalogue().screens.rail[at]),
            hint: words().resumeHint(cluster),
            intent: { type: 'screen/go', screen: at },
          },
          ...(at === 'cluster' ? [] : [restart()]),
        ]
      : [
          {
            value: 'fresh',
            label: words().fresh,
            hint: words().freshHint,
            intent: { type: 'screen/go', screen: 'cluster' },
          },
        ];
  const rehearse: Choice = {
    value: 'rehearse',
    label: words().rehearse,
    hint: words().rehearseHint,
    intent: { type: 'welcome/rehearse' },
  };
  const bringIn: Choice = {
    value: 'import',
    label: words().bringIn,
    hint: words().bringInHint,
    intent: { type: 'import/open', from: 'file' },
  };
  return rehearsal ? first : [...first, bringIn, rehearse];
}

export function welcomeBindings(state: WelcomeFacts): Binding<Intent>[] {
  const choices = choicesOf(state);
  const move = (by: number): Intent => ({ type: 'welcome/move', by, count: choices.length });
  return [
    { keys: ['enter'], label: catalogue().screens.keys.choose, intent: choices[state.welcome.choice]?.intent ?? null },
    { keys: ['up', 'shift-tab'], label: catalogue().screens.keys.row, intent: move(-1), hidden: choices.length === 1 },
    { keys: ['down', 'tab'], label: catalogue().screens.keys.row, intent: move(1), hidden: true },
    ...commonBindings({ isTyping: false }).filter(({ keys }) => !keys.includes('escape')),
  ];
}

/** @param hasChoices false while the choices are not known */
export function WelcomeView({
  state,
  hasChoices = true,
  notice = null,
}: {
  readonly state: WelcomeFacts;
  readonly hasChoices?: boolean;
  readonly notice?: NoticeText | null;
}) {
  const { dir, rehearsal, choice } = state.welcome;
  return (
    <>
      <Paragraph text={`${words().headline} ${words().subline}`} height={3} />
      <Gap />
      {rehearsal && (
        <Row>
          <Label tone="accent">{words().rehearsal(rehearsal.speed)}</Label>
        </Row>
      )}
      {hasChoices ? (
        <>
          <Paragraph text={words().directory(dir)} tone="dim" height={3} />
          {notice && <Notice kind={notice.kind} text={notice.text} height={4} />}
          <Gap />
          <Select items={choicesOf(state)} index={choice} rows={6} />
        </>
      ) : (
        <Row>
          <Spinner label={words().opening} />
        </Row>
      )}
      <Gap />
      <Paragraph text={words().advice} tone="dim" />
    </>
  );
}
