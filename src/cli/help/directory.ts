import { catalogue } from '../../i18n/catalogue.ts';
import { type Block, heading, termsFromTable, text } from './page.ts';

/** Contents of the install directory. */
export function directoryPage(): readonly Block[] {
  const { intro, contentsTitle, contents, downloadsTitle, downloads, inUseTitle, inUse, copies, secrets } =
    catalogue().help.directory;
  return [
    text(intro),
    heading(contentsTitle),
    termsFromTable(contents),
    heading(downloadsTitle),
    text(downloads),
    heading(inUseTitle),
    text(inUse),
    text(copies),
    text(secrets),
  ];
}
