import { catalogue } from '../../../src/text/catalogue.ts';
import { Confirm } from '../../../src/ui/components/notices.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { toldOffer } from '../../../src/wizard/design/following.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { linesAbout, readBindings } from '../bindings.ts';

const words = () => catalogue().following;
const keys = () => catalogue().screens.keys;

type Offer = Extract<Overlay, { kind: 'follow' }>;

/** Enter takes the offer: undo takes it back, so nothing is lost by it. */
export function followBindings({ document }: Pick<WizardState, 'document'>, { change }: Offer): Binding<Intent>[] {
  const count = linesAbout(toldOffer(document, change).lines);
  const scroll = (by: number): Intent => ({ type: 'follow/scroll', by, count });
  return [
    { keys: ['enter', 'y'], label: words().yes, intent: { type: 'follow/accept' } },
    { keys: ['escape', 'n'], label: words().no, intent: { type: 'follow/decline' } },
    ...readBindings(scroll),
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(10), hidden: true },
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
  ];
}

/**
 * The answers that follow from the one that a person changed, each with what it would become.
 *
 *     Move 16 addresses to 10.20.30.0/24?
 *
 *     172.16.0.254 -> 10.20.30.254  Gateway
 *     172.16.0.111 -> 10.20.30.111  API address, Ingress address
 *     172.16.0.11  -> 10.20.30.11   bs
 *
 *     y change them   n leave them
 */
export function FollowOverlay({ state, offer }: { readonly state: WizardState; readonly offer: Offer }) {
  const { question, lines } = toldOffer(state.document, offer.change);
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
