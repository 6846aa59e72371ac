/** Hours and minutes of the local time: `10:41`. @param at milliseconds since the epoch */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}
