import { aiderReader } from '../../../host-agent/transcripts/aider.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.aider.chat.history.md'
const history = [
  '',
  '# aider chat started at 2026-05-06 07:08:09',
  '',
  '> Git repo: .git with 3 files  ',
  '> Repo-map: using 1024 tokens  ',
  '',
  '#### polish the telescope mirror  ',
  '#### and mind the edges  ',
  '',
  'I polish it in circles.',
  '',
  '#### Step one',
  '',
  'Wet the cloth.',
  '',
  '> Applied edit to mirror.py  ',
  '',
  '#### thanks, that will do  ',
  '',
  'You are welcome to the stars.',
  '',
].join('\n')

const said = [
  'tool: Git repo: .git with 3 files\nRepo-map: using 1024 tokens',
  'user: polish the telescope mirror\nand mind the edges',
  'assistant: I polish it in circles.\n\n#### Step one\n\nWet the cloth.',
  'tool: Applied edit to mirror.py',
  'user: thanks, that will do',
  'assistant: You are welcome to the stars.',
]

export const aiderSample: ConformanceSample = {
  reader: aiderReader(),
  write(home) {
    home.write(path, history)
    return { path, appendable: false }
  },
  said,
  edit: (home) => void home.write(path, `${history}\n#### good night  \n`),
  saidAfter: [...said, 'user: good night'],
}
