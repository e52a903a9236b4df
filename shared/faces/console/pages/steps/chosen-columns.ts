/** The columns that a person chose for a list, remembered in this browser: names of fields, never values. */
import { useState } from 'preact/hooks'

const keyOf = (list: string) => `toolyard.columns.${list}`

const read = (list: string): string[] | undefined => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(list)) ?? 'null')
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : undefined
  } catch {
    return undefined
  }
}

const write = (list: string, columns: string[] | undefined) => {
  try {
    if (columns) localStorage.setItem(keyOf(list), JSON.stringify(columns))
    else localStorage.removeItem(keyOf(list))
  } catch {
    // A browser that stores nothing shows the usual columns the next time.
  }
}

/** `list`: identifies the list, such as `{integration}/{step}/{field}`. Of the chosen columns, those that there are. */
export const useColumns = (list: string, { all, usual }: { all: string[]; usual: string[] }) => {
  const [chosen, setChosen] = useState(() => read(list))
  return {
    columns: chosen ? all.filter((name) => chosen.includes(name)) : usual,
    isChosen: chosen !== undefined,
    choose(columns: string[] | undefined) {
      setChosen(columns)
      write(list, columns)
    },
  }
}
