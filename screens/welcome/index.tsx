import { catalogue } from '../../src/i18n/catalogue.ts';
import type { Screen } from '../shared/screen.ts';
import { getWelcomeIntent, WelcomeView, welcomeBindings } from './view.tsx';

const words = () => catalogue().screens.welcome;

export const welcomeScreen: Screen = {
  id: 'welcome',
  breadcrumb: () => catalogue().screens.places.welcome,
  bindings: welcomeBindings,
  onText: getWelcomeIntent,
  help: () => [`${words().headline} ${words().subline}`, words().advice, ...words().help],
  draw: (state) => <WelcomeView state={state} notice={state.notice} />,
};
