import { catalogue } from '../../../src/i18n/catalogue.ts';
import { Confirm } from '../../../src/ui/components/notices.tsx';
import type { Binding } from '../../../src/ui/keys.tsx';
import { describeFollowUpOffer } from '../../../src/wizard/design/follow-up.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';

import { estimateLines, textScrollBindings } from '../bindings.ts';

const words = () => catalogue().following;
const keys = () => catalogue().screens.keys;

type FollowUpOffer = Extract<Overlay, { kind: 'follow' }>;

/** Returns the keys of the follow-up offer. Enter accepts it: undo can revert it, so nothing is lost. */
export function followUpBindings(
  { document }: Pick<WizardState, 'document'>,
  { change }: FollowUpOffer,
): Binding<Intent>[] {
  const count = estimateLines(describeFollowUpOffer(document, change).lines);
  const scroll = (by: number): Intent => ({ type: 'follow/scroll', by, count });
  return [
    { keys: ['enter', 'y'], label: words().yes, intent: { type: 'follow/accept' } },
    { keys: ['escape', 'n'], label: words().no, intent: { type: 'follow/decline' } },
    ...textScrollBindings(scroll),
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(10), hidden: true },
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
  ];
}

/**
 * The answers that depend on the one that the user changed, each with its new value.
 *
 *     Move 16 addresses to 10.20.30.0/24?
 *
 *     172.16.0.254 -> 10.20.30.254  Gateway
 *     172.16.0.111 -> 10.20.30.111  API address, Ingress address
 *     172.16.0.11  -> 10.20.30.11   bs
 *
 *     y change them   n leave them
 */
export function FollowUpOverlay({ state, offer }: { readonly state: WizardState; readonly offer: FollowUpOffer }) {
  const { question, lines } = describeFollowUpOffer(state.document, offer.change);
  return (
    <Confirm
      question={question}
      details={[words().why, '', ...lines]}
      top={offer.top}
      yes={words().yes}
      no={words().no}
    />
  );
}
