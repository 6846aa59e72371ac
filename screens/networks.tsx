import { formPage } from './shared/form-page.tsx';

export const networksScreen = formPage('networks');
