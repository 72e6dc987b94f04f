import { setImmediate } from 'node:timers/promises';

import type { Page } from '../domain/page.js';
import type { Pet } from './pet.dto.js';

/** How many characters the pages may hold that are answered in one turn of the event loop. */
const MAX_TURN_CHARACTERS = 256 * 1024;

/**
 * Spreads large pages over several turns of the event loop, in their order. To write a page of long names as JSON takes
 * milliseconds, and other requests are served in between.
 */
export function spreadLargePages(pages: readonly Page<Pet>[]): (Page<Pet> | Promise<Page<Pet>>)[] {
  let turn: Promise<void> | undefined;
  let characters = 0;
  return pages.map((page) => {
    const size = charactersIn(page);
    characters += size;
    if (characters > MAX_TURN_CHARACTERS && characters > size) {
      characters = size;
      turn = (turn ?? Promise.resolve()).then(() => setImmediate());
    }
    return turn ? turn.then(() => page) : page;
  });
}

function charactersIn({ items }: Page<Pet>): number {
  let characters = 0;
  for (const { name } of items) characters += name.length;
  return characters;
}
