/** Roo Code: its tasks within VS Code. How they read is in vscode-tasks.ts. */
import type { TranscriptReader } from './reader.ts'
import { entersTask, taskCompanions, taskFormat, taskRoots } from './vscode-tasks.ts'

const label = 'Roo Code'

export function rooReader(): TranscriptReader {
  return {
    agent: 'roo',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['VSCODE_PORTABLE'],
      resume: null,
      remark:
        'A subtask belongs to the task that started it. The setting that moves its storage is followed.',
    },
    roots: (environment) =>
      taskRoots(environment, 'rooveterinaryinc.roo-cline', 'roo-cline.customStoragePath'),
    enters: entersTask,
    formatOf: taskFormat(label),
    companions: taskCompanions,
  }
}
