/** Texts that make a careless search slow: they repeat the beginning of what is searched for and never complete it. */
const filled = (size: number, text: string) => text.repeat(Math.ceil(size / text.length)).slice(0, size)
const counted = (size: number, of: (index: number) => string) => {
  const parts: string[] = []
  for (let [index, length] = [0, 0]; length < size; index += 1) {
    parts.push(of(index))
    length += parts.at(-1)!.length
  }
  return parts.join('').slice(0, size)
}

/** The texts by what they contain; each is `size` characters long. */
export const largeTexts = (size: number): Record<string, string> => ({
  'one letter': filled(size, 'a'),
  'one letter and an address': `${filled(size - 15, 'a')} me@example.com`,
  '@ alone': filled(size, '@'),
  'letters before @': filled(size, `${'x'.repeat(64)}@`),
  'one address': filled(size, 'a@b.co '),
  'addresses, all different': counted(size, (index) => `a${index}@b.co `),
  'addresses, percent-encoded': filled(size, 'a%40b.co%20'),
  'labels of a host': filled(size, 'a-.'),
  'hosts of profiles': filled(size, 'linkedin.com/'),
  'profiles, all different': counted(size, (index) => `linkedin.com/in/a${index} `),
  'marks at the end of an address': `me@example.com${filled(size, "'`.")}`,
  'beginnings of numbers': filled(size, '(0'),
  'numbers, all different': counted(size, (index) => `+61${491_000_000 + index} `),
  'spaces and no number': filled(size, '+          '),
  'hexadecimal digits': filled(size, 'ab12'),
  'digests, all different': counted(size, (index) => `${index.toString(16).padStart(32, 'a')} `),
})
