/** A service that always names a next page is broken; no list of ours is so long. */
const pagesMax = 200;

/** All items of all pages, in order. Throws what `read` throws, so a list is whole or not there. */
export async function allPages<Page, Item>(
  read: (token: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[] | undefined,
  nextOf: (page: Page) => string | undefined,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let token: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const answer = await read(token);
    items.push(...(itemsOf(answer) ?? []));
    const next = nextOf(answer);
    if (next === undefined || next === "") return items;
    token = next;
  }
  throw new Error(`a list has more than ${pagesMax} pages`);
}
