/**
 * Words of the lists of stop words that people search for, by analyser: use, work, state, example, single letters ("lenguaje C") in Spanish;
 * article, year, possibility in Hungarian; agreement, time, girl, luck in Romanian; human, life in Russian. Scripts of pages leave this file out
 * where the publication has no texts in these languages.
 */
export const CONTENT_WORDS: Readonly<Record<string, string>> = {
  es: `acuerdo b c d dia dias día días ejemplo emplear empleo estado estados f fin final g general h hora horas i informo
    informó intento j k l lado m manera modo momento n nueva nuevas nuevo nuevos p pais paìs parte partir propia primer
    primera primero primeros q r realizar s segunda segundo t tercera tiempo total trabaja trabajais trabajamos trabajan
    trabajar trabajas trabajo usa usais usamos usan usar usas uso v valor verdad verdadera verdadero w x z`,
  hu: `búcsú cikk cikkek cikkeket lehetőség napot uram urat úr urak év évben éve évek éves évi évvel`,
  ro: `acord bucur fata fiu frumos graţie halbă noroc spate sută timp vreme`,
  ru: `человек жизнь`,
};
