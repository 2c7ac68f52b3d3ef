package social

import "strings"

// What persons, places and posts are called. Frequent ones come first.
var (
	firstNames = strings.Fields(`John Carlos Rahul Jun Shweta Yang Jose Maria Ali Anna Wei Chen Deepak Fatima Ivan Olga
		Kenji Yuki Peter Paul Eva Luis Ana Hans Emma Karl Nina Marco Giulia Pierre Claire Ahmed Leila Omar Sara Tom
		Lucy David Alice Jan Zofia Piotr Eleni Nikos Lars Ingrid Mehmet Ayse Joao Ines Abebe Amara Kofi Zuri Minh Linh
		Budi Dewi Arjun Priya Noah Mia Liam Chloe`)
	lastNames = strings.Fields(`Khan Singh Zhang Li Sharma Wang Kumar Yang Garcia Silva Smith Ivanov Tanaka Müller Rossi
		Martin Kim Nguyen Santos Kowalski Novak Hansen Jensen Yilmaz Hussein Mensah Okafor Lopez Gonzalez Perez Brown
		Jones Suzuki Sato Weber Fischer Bianchi Bernard Dubois Petrov Popescu Nagy Horvat Papadopoulos Andersson Virtanen
		Costa Ferreira Diaz Cohen Levi Rahman Das Gupta Tran Pham Wijaya Sari Abdi Diallo Traore Banda Moyo Perera`)
	continents = strings.Fields(`Asia Europe Africa America Oceania`)
	// languages are those of the countries, one each; each is on the continent
	// of the same position.
	countries    = strings.Fields(`India China Brazil Germany Indonesia France Nigeria Japan Mexico Turkey Italy Egypt Poland Spain Vietnam Iran Kenya Argentina Greece Sweden Peru Ghana Portugal Australia`)
	languages    = strings.Fields(`hi zh pt de id fr en ja es tr it ar pl es vi fa sw es el sv es en pt en`)
	countryOn    = []int{0, 0, 3, 1, 0, 1, 2, 0, 3, 0, 1, 2, 1, 1, 0, 0, 2, 3, 1, 1, 3, 2, 1, 4}
	browsers     = []string{"Firefox", "Chrome", "Internet Explorer", "Safari", "Opera"}
	browserShare = lottery{41, 70, 94, 97, 100}
	vocabulary   = strings.Fields(`about and at be by can do fine for from good great has he her his how in into is it
		its just know like new no not of ok on one or other out right she so than thanks that the their then they this
		time to two up was we were what when who will with would yes you`)
)

const (
	citiesOfCountry = 40
	maxTags         = 16000
	syllables       = 14 * 5
	allWords        = syllables * syllables * syllables
)

// word returns the word of a number below allWords; no two have the same.
func word(n int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	n = n * 104729 % allWords // has no factor in common with allWords, so it is a permutation
	b := make([]byte, 0, 6)
	for range 3 {
		b = append(b, consonants[n%14], vowels[n/14%5])
		n /= syllables
	}
	b[0] -= 'a' - 'A'
	return string(b)
}
