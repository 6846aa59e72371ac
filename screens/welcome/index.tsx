import { catalogue } from '../../src/text/catalogue.ts';
import type { Screen } from '../shared/screen.ts';
import { WelcomeView, welcomeBindings, welcomeText } from './view.tsx';

const words = () => catalogue().screens.welcome;

export const welcomeScreen: Screen = {
  id: 'welcome',
  place: () => catalogue().screens.places.welcome,
  bindings: welcomeBindings,
  onText: welcomeText,
  help: () => [`${words().headline} ${words().subline}`, words().advice, ...words().help],
  draw: (state) => <WelcomeView state={state} notice={state.notice} />,
};
