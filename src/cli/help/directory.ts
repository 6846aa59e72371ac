import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, termsOf, text } from './page.ts';

/** What the install directory holds. */
export function directoryPage(): readonly Block[] {
  const { intro, holdsTitle, holds, downloadsTitle, downloads, inUseTitle, inUse, copied, secrets } =
    catalogue().help.directory;
  return [
    text(intro),
    heading(holdsTitle),
    termsOf(holds),
    heading(downloadsTitle),
    text(downloads),
    heading(inUseTitle),
    text(inUse),
    text(copied),
    text(secrets),
  ];
}
