import { PATHS } from '../schemas/paths.ts';

/** Id of a subject in the index of the list of capsules. */
export const subjectAnchor = (subject: string): string => `subject-${subject}`;

/** Address of a subject in that index. */
export const subjectPath = (subject: string): string => `${PATHS.capsules}#${subjectAnchor(subject)}`;
