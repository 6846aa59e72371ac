import { formPage } from './shared/form-page.tsx';

export const credentialsScreen = formPage('credentials');
