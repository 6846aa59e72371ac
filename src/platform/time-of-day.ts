/**
 * Hours and minutes in local time: `10:41`.
 * @param at ms since the epoch
 */
export function formatTimeOfDay(at: number): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}
