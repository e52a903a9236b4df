/** A field for a thing that has a name and a value that nobody types, such as an id. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { TextField } from './field.tsx'

/** A value by the name that people have for it. */
export type Named = [value: string, name: string]

const typingMs = 250

/** Things of the same name are told apart by a number. */
const apart = (named: readonly Named[]): Named[] => {
  const counts = new Map<string, number>()
  return named.map(([value, name]) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return [value, count === 1 ? name : `${name} (${count})`]
  })
}

type Props = {
  label: string
  value: string
  /** What the value is called. */
  title: string
  /** The things whose names have this text in them. */
  find(text: string): Promise<Named[]>
  /** Called with the value of the thing, or with the text where nothing has this name: an id can be pasted. */
  pick(value: string): void
}

export const ThingField = ({ label, value, title, find, pick }: Props) => {
  const [text, setText] = useState<string>()
  const [found, setFound] = useState<Named[]>([])
  const turn = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const search = (typed: string) => {
    const mine = (turn.current += 1)
    find(typed).then(
      (named) => mine === turn.current && setFound(apart(named)),
      () => {},
    )
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => search(typed), typingMs)
  }
  const finish = (typed: string) => {
    clearTimeout(timer.current)
    setText(undefined)
    pick(typed === title ? value : (found.find(([, name]) => name === typed)?.[0] ?? typed))
  }
  return (
    <div onFocusIn={() => search('')}>
      <TextField
        label={label}
        type="search"
        value={text ?? (value === '' ? '' : title)}
        suggest={found.map(([, name]) => name)}
        change={type}
        finish={finish}
      />
    </div>
  )
}
