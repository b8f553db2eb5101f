//! What was told: facts, and the difference between an answer and a list of all possible answers.
//!
//! Invariants: a fact counts where it stands as whole words in a message that is short enough to be read, does not deny it and does not list several values
//! of its shape, where no wrong answer is said, in any spelling of its date or number, that is not denied, and where nobody takes it back.

use std::collections::{BTreeMap, BTreeSet};

use crate::spelling::{Reading, Wanted, errs, one_value, values};
use crate::task::Fact;
use crate::told::{Shape, Told, different};

/// Messages longer than this tell nothing: a fact in a heap of data is not told.
pub const TOLD_BYTES_MAX: usize = 2_000;
/// Values of a fact's shape in the message that tells it, its own and what is denied included: more is a list of guesses. "Frozen from 2026-12-08 to
/// 2026-12-14, so 15 December" is an answer.
pub const VALUES_MAX: usize = 3;
/// Values of a fact's shape in all messages together.
pub const VALUES_IN_ALL_MAX: usize = 6;

/// Whether a fact was told, and no wrong answer beside it. `given` is what the agent was told itself: to repeat its values is no guess.
#[must_use]
pub(crate) fn is_told(fact: &Fact, said: &[String], given: &str) -> bool {
    let readings: Vec<Reading> = said.iter().map(|text| Reading::new(text)).collect();
    if errs(&fact.not, &readings) {
        return false;
    }
    let given = values(given);
    // A day of any month gives no date of one.
    let gives = |given: &Told, value: &Told| given.is_same(value) && (!given.is_day() || value.is_day());
    let is_own = |value: &Told| !given.iter().any(|given| gives(given, value));
    let all: Vec<Wanted> = fact.say.iter().map(|words| Wanted::new(words)).collect();
    // "3 December" beside "2026-12-03" would let another year pass.
    let is_short = |wanted: &Wanted| all.iter().any(|full| wanted.is_short_for(full));
    all.iter().filter(|wanted| !is_short(wanted)).any(|wanted| {
        let mut shapes: BTreeSet<Shape> = wanted.values.iter().map(|value| value.shape).collect();
        if shapes.contains(&Shape::Amount) {
            // The parts of an amount with a decimal comma.
            shapes.remove(&Shape::Number);
        }
        // The values of the fact itself do not count against it.
        let are_few = |values: &[&Told], most: usize| {
            let few = |shape: &Shape| {
                let most = different(wanted.values.iter(), *shape, usize::MAX) + most - 1;
                different(values.iter().copied().filter(|value| is_own(value)), *shape, most) <= most
            };
            shapes.iter().all(few)
        };
        let tells = |(text, reading): (&String, &Reading)| {
            text.len() <= TOLD_BYTES_MAX
                && reading.tells(wanted)
                && !reading.hedges(wanted, is_own)
                && are_few(&reading.values.iter().collect::<Vec<_>>(), VALUES_MAX)
        };
        let values: Vec<&Told> = readings.iter().flat_map(|reading| &reading.values).collect();
        let last = said.iter().zip(&readings).rposition(tells);
        last.is_some_and(|last| !readings[last + 1..].iter().any(|later| later.takes_back(wanted, is_own)))
            && are_few(&values, VALUES_IN_ALL_MAX)
    })
}

/// The same of a fact that may wait for something of the user (`after`): who tells it before has told it to nobody knows whom. `slots` says how many
/// messages the agent had said when the user told each of theirs.
#[must_use]
pub(crate) fn is_told_in_time(fact: &Fact, said: &[String], given: &str, slots: &BTreeMap<String, usize>) -> bool {
    let Some(slot) = &fact.after else { return is_told(fact, said, given) };
    let early = slots.get(slot).and_then(|count| said.get(..*count));
    early.is_some_and(|early| !early.iter().any(|text| names(fact, text)) && is_told(fact, said, given))
}

/// Whether a text has a fact in it, however many others are beside it, and even if it denies it.
fn names(fact: &Fact, text: &str) -> bool {
    let reading = Reading::new(text);
    fact.say.iter().any(|words| reading.names(&Wanted::new(words)))
}

/// What somebody would say who tries every value that a fact could be: those of its shape among the `known` words, and small numbers. Empty for facts
/// that are more than one value. Where there are more than [`VALUES_IN_ALL_MAX`], which nobody may tell, only one more than that is found.
#[must_use]
pub fn guesses(fact: &Fact, known: &BTreeSet<String>) -> BTreeSet<String> {
    let Some(value) = fact.say.first().and_then(|words| one_value(words)) else { return BTreeSet::new() };
    let found = known.iter().flat_map(|word| values(word)).filter(|found| found.shape == value.shape);
    let mut guesses = BTreeSet::new();
    for found in found {
        guesses.insert(found.written);
        if guesses.len() > VALUES_IN_ALL_MAX {
            return guesses;
        }
    }
    if value.shape == Shape::Number && guesses.len() < VALUES_IN_ALL_MAX {
        let small = (0_u32..).map(|number| number.to_string()).take(VALUES_IN_ALL_MAX - guesses.len());
        guesses.extend(small);
    }
    guesses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::says;

    #[test]
    fn words_are_whole_and_numbers_have_signs_and_points() {
        for (text, words, expected) in [
            ("It is 1,250 cents.", "1250", true),
            ("A-1,1250", "1250", true),
            ("-1250", "1250", false),
            ("0.5", "5", false),
            ("5.5", "5", false),
            ("It is 5.", "5", true),
            ("5,000", "5", false),
            ("a 5-cent coin", "5", true),
            ("4-5-6", "5", false),
            ("O-1 is late", "o-1", true),
            ("O-1-O-2", "O-2", false),
            ("O-10", "O-1", false),
            ("** refused **", "refused", true),
        ] {
            assert_eq!(says(text, words), expected, "{text:?} {words:?}");
        }
    }

    #[test]
    fn a_list_of_versions_tells_nothing() {
        let fact = Fact { say: vec!["6.3.2".to_owned()], not: vec!["6.4.0".to_owned()], after: None };
        for (said, expected) in [
            ("It is 6.3.2, for 12.50 EUR.", true),
            ("6.3.2, not 6.4.0", true),
            ("Production has 6.3.2; 6.4.0 is not live.", true),
            ("We did not go back to 6.4.0. It is 6.3.2.", true),
            ("v6.3.2", true),
            ("V6.3.2.", true),
            ("version 6.3.2", true),
            ("v6.4.0. (6.3.2 was before.)", false),
            ("6.3.2 or v6.4", false),
            ("6.3.2-v6.4.0 or 6.3.2", false),
            ("6.3.2, 6.4.0-6.5.0", false),
            ("6.3.2, v6.3.0, v6.2, v6.1", false),
            ("Not 6.3.2.", false),
            ("6.3.2 isn't live", false),
            ("6.3.2 is not live", false),
            ("Not only 6.3.2", false),
            ("I do not doubt it is 6.3.2", false),
            ("6.3.2. No doubt it is 6.4.0", false),
            ("6.3.2, and 6.4.0 is not a problem", false),
            ("6.3.2, not only 6.4.0", false),
            ("6.3.2, and why not 6.4.0?", false),
            ("6.3.2. It is not that it cannot be 6.4.0", false),
            ("6.3.2, not 6.3.0, 6.3.3, 6.2", false),
            ("6.3.2 or 6.4", false),
            ("6.3.2, before it 6.3.0 and 6.2", true),
            ("6.3.2 or 6.3.0", false),
            ("6.3.2 or 6.3.0, 6.3.3, 6.2", false),
        ] {
            assert_eq!(is_told(&fact, &[said.to_owned()], ""), expected, "{said}");
        }
    }

    #[test]
    fn a_list_of_guesses_tells_nothing() {
        let say = vec!["1250".to_owned(), "twelve fifty".to_owned()];
        let fact = Fact { say, not: vec!["90".to_owned()], after: None };
        let numbers = |range: std::ops::Range<u32>| range.map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        for (said, expected) in [
            (vec!["There are 1250 cents.".to_owned()], true),
            (vec!["Twelve fifty.".to_owned()], true),
            (vec!["1250, not 90".to_owned()], true),
            (vec!["1250 or 90".to_owned()], false),
            (vec!["It is not 1250".to_owned()], false),
            (vec!["1250 is not it".to_owned()], false),
            (vec!["It is 12.5e2".to_owned()], true),
            (vec!["EUR1250".to_owned()], true),
            (vec![numbers(1_000..1_395)], false),
            ((0..80).map(|five| numbers(1_000 + 5 * five..1_005 + 5 * five)).collect(), false),
            (vec!["1250 of 3 of them".to_owned()], true),
            (vec!["1250 of 1 2".to_owned()], true),
            (vec!["1250 of 1 2 3".to_owned()], false),
            (vec!["1250 and 1".to_owned(), numbers(2..6)], true),
            (vec!["1250 and 1".to_owned(), numbers(2..7)], false),
            (vec!["1250 or 1".to_owned()], false),
            // What has another shape is no guess: amounts, ids, dates.
            (vec!["1250 on 2 November, for O-1 and O-2: 7.50 EUR".to_owned()], true),
        ] {
            assert_eq!(is_told(&fact, &said, "What is in account 7?"), expected, "{said:?}");
        }
        assert!(is_told(&fact, &["1250 1 2 7".to_owned()], "What is in account 7?"));
    }

    #[test]
    fn a_fact_that_waits_for_the_user_is_not_told_before() {
        let fact = Fact { say: vec!["2026-12-30".to_owned()], not: Vec::new(), after: Some("email".to_owned()) };
        for (said, asked_after, expected) in [
            (vec!["Who are you?", "It is due on 30 December."], Some(1), true),
            (vec!["It is due on 30 December. Who are you?"], Some(1), false),
            (vec!["Due on 2026-12-29, 2026-12-30 or 2026-12-31?", "On 2026-12-30."], Some(1), false),
            (vec!["It is due on 30 December."], None, false),
            (vec!["It is due on 30 December."], Some(0), true),
            (vec!["It is not due on 30 December. Who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due 30.12., who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due 30.12, who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due 30/12; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due 12/30/2026; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due 20261230; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due 30 - 12 - 2026; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due 30. Dezember; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due \u{ff13}\u{ff10} December; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due on the 30th of this month; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Due on the thirtieth; who are you?", "On 2026-12-30."], Some(1), false),
            (vec!["Is it the thirtieth call? Who are you?", "On 2026-12-30."], Some(1), true),
        ] {
            let said: Vec<String> = said.into_iter().map(str::to_owned).collect();
            let slots = asked_after.map(|count| ("email".to_owned(), count)).into_iter().collect();
            assert_eq!(is_told_in_time(&fact, &said, "", &slots), expected, "{said:?}");
        }
    }

    fn fact(say: &[&str], not: &[&str]) -> Fact {
        let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Fact { say: all(say), not: all(not), after: None }
    }

    #[test]
    fn wrong_dates_are_wrong_in_any_spelling() {
        let date = fact(&["2026-12-03", "3 December", "December 3"], &["2026-12-04"]);
        for (said, expected) in [
            ("It comes on 3 December.", true),
            ("It comes on 2026-12-03, that is December 3.", true),
            ("It comes on 3 December, not on 2 December.", true),
            ("It comes on 3 December or on 4 December.", false),
            ("2026-12-03, or the 4th of December, 2026", false),
            ("2026-12-03 or Dec. 4", false),
            ("2026-12-03 or 04.12.2026", false),
            ("2026-12-03 or 4-Dec-2026", false),
            ("2026-12-03, and 4 December 2027 is another", true),
            ("Not on 1 or 2 December, on 3 December.", true),
            ("On 30 November, 1, 2 or 3 December.", false),
            ("It comes on 2026/12/03.", true),
            ("It comes on 2026.12.03.", true),
            ("It comes on 20261203.", true),
            ("It comes on 2026-12-03T00:00:00Z.", true),
            ("It comes on 2026-12-03 14:30.", true),
            ("It comes on 12/03/2026.", true),
            ("It comes on 03/12/2026.", true),
            ("It comes on 3/12", true),
            ("Am 3.12.", true),
            ("It comes on 2026\u{2011}12\u{2011}03.", true),
            ("It comes on 3\u{a0}December.", true),
            ("It comes on 3\u{202f}Dezember.", true),
            ("It comes on December the 3rd.", true),
            ("It comes on the third of December.", true),
            ("Le 3 d\u{e9}cembre", true),
            ("It comes on Thursday the 3rd.", false),
            ("3 - 12 - 2026", true),
            ("2026-12-03 or 2026/12/04", false),
            ("2026-12-03 or 12/04/2026", false),
            ("2026-12-03 or 4/12", false),
            ("2026-12-03 or 4.12.", false),
            ("2026-12-03 or the 4th", false),
            ("2026-12-03, or on Friday the fourth", false),
            ("3-4 December", false),
            ("December 3 or 4", false),
            ("December the 3rd or the fourth", false),
            ("The 3rd or the 4th of December", false),
            ("2026-12-03, of 3 boxes the 4th box is late", true),
            ("2026-12-03, or the day after", false),
            ("2026-12-03 or a day later", false),
            ("It does not arrive on 2026-12-03", false),
            ("It does not come on Thursday, 3 December.", false),
            ("It does not come on 2. or 3. December.", false),
            ("It does not come on 2 and 3 December.", false),
            ("It's not so sure it comes on 3 December", false),
            ("No later than 3 December", false),
            ("It comes on 3 December, no later than 4 December", false),
            ("Nothing to worry about: it comes on 3 December", true),
            ("It is not late, it comes on 3 December", true),
            ("It is not late \u{2014} it comes on 3 December", true),
            ("No, it comes on 3 December", true),
            ("Your order (which has not left) comes on 3 December", true),
            ("It can't come on 4 December, so it comes on 3 December.", true),
            ("It can\u{2019}t come on the 4th. It comes on 3 December.", true),
            ("2026-11-30, 2026-12-01, 2026-12-02, 2026-12-03", false),
            ("It comes on 3 December 2026.", true),
            ("It comes on 3 December 2027.", false),
            ("It comes on 3 December, or else on the 9th.", false),
            ("On 3 or 9 December", false),
            ("Does it come on 3 December?", false),
            ("Is that all? It comes on 3 December.", true),
        ] {
            assert_eq!(is_told(&date, &[said.to_owned()], ""), expected, "{said:?}");
        }
    }

    #[test]
    fn wrong_amounts_are_wrong_in_any_spelling() {
        let amount = fact(&["7678.80", "7.678,80"], &["8785.80", "1083240"]);
        for (said, expected) in [
            ("We owe 7,678.80.", true),
            ("We owe 7.678,80, of 9.000,00.", true),
            ("We owe 7'678.80.", true),
            ("We owe 7\u{2019}678.80.", true),
            ("We owe 7\u{202f}678.80 EUR.", true),
            ("We owe 7 678.80 EUR.", true),
            ("We owe 7 678,80 EUR.", true),
            ("We owe 7_678.80.", true),
            ("We owe 7678.80EUR.", true),
            ("We owe 7.6788e3.", true),
            ("We owe 7,678.80 or 8'785.80.", false),
            ("We owe 7,678.80 or 1'083'240.", false),
            ("We owe 7,678.80, not 8,785.80.", true),
            ("We owe 7,678.80 instead of 8,785.80.", true),
            ("Not 7678.80.", false),
            ("7678.80, 7000 or 8000", false),
            ("We owe 7,678.80 or 8,785.8.", false),
            ("We owe 7,678.80 or 8.785,80", false),
            ("We owe 7,678.80 or 1083240.00", false),
            ("We owe 7,678.80; booked: -8785.80", true),
            ("We owe 7,678.80, 7,678.81, 7,678.82 or 7,678.83.", false),
            ("3 of 12 invoices of 2 people are open: 7,678.80", true),
        ] {
            assert_eq!(is_told(&amount, &[said.to_owned()], ""), expected, "{said:?}");
        }
    }

    #[test]
    fn a_fact_that_is_taken_back_is_not_told() {
        let date = Fact { say: vec!["2026-12-03".to_owned()], not: Vec::new(), after: None };
        let told = "It comes on 3 December.";
        for (said, expected) in [
            (vec![told, "Actually I lied, it comes on 2026-12-20."], false),
            (vec![told, "Sorry, it is 4 December."], false),
            (vec![told, "It comes on 20 December instead."], false),
            (vec![told, "Actually on 2026-12-20.", told], true),
            (vec![told, "Actually, it comes on 3 December, not on 20 December."], true),
            (vec![told, "Sorry, I cannot move it to 20 December."], true),
            (vec![told, "Would you rather have it on 20 December?"], true),
            (vec![told, "Sorry for that. Your other order came on 20 November."], true),
            (vec![told, "Your other order came on 20 November."], true),
            (vec![told, "Sorry, 24 December is a holiday."], true),
            (vec![told, "Sorry, I meant order O-12."], true),
        ] {
            let said: Vec<String> = said.into_iter().map(str::to_owned).collect();
            assert_eq!(is_told(&date, &said, "Does it come by 24 December?"), expected, "{said:?}");
        }
    }
}
